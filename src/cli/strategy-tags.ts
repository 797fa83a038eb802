import { orderId, type OrderId } from "../domain/ids.ts";
import { asPath, text } from "./option.ts";
import type { Terminal } from "./terminal.ts";

export const journalOption = asPath(
  text(
    "--journal <dir>",
    "a bot's journal, to show its orders' strategies (default: that of --config)",
  ),
);

/** Strategy name by order id. */
export type StrategyTags = ReadonlyMap<string, string>;

interface Row {
  readonly orderId: string;
}

/** An order or an execution, with its time in ms. */
interface TimedRow extends Row {
  readonly createdAt: number;
}

export interface TagSource {
  /** The journal's folder from the option and from the configuration. */
  readonly given: string | undefined;
  readonly configured: string | undefined;
  readonly terminal: Terminal;
}

/**
 * Looks up the strategies that placed these orders in a bot's journal, since the venue stores no strategy names (§4.4). Undefined
 * when there is no journal. A journal given by option that cannot be read causes a warning.
 */
export async function strategyTags(
  rows: readonly TimedRow[],
  { given, configured, terminal }: TagSource,
): Promise<StrategyTags | undefined> {
  const folder = given ?? configured;
  if (folder === undefined) return undefined;
  const { createStore } = await import("../platform/store.ts");
  const { orderStrategies } = await import("../journal/order-strategies.ts");
  const { TouchlineError } = await import("../base/error.ts");
  const wanted = new Map<OrderId, number>();
  for (const row of rows) {
    const id = orderId(row.orderId);
    if (id !== undefined) wanted.set(id, row.createdAt);
  }
  try {
    const tags = orderStrategies(createStore(), folder, wanted);
    if (tags === undefined && given !== undefined) {
      terminal.warn(`there is no journal in ${folder}.`);
    }
    return tags;
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    terminal.warn(`strategies are not shown: ${error.message}`);
    return undefined;
  }
}

/** The strategy of an order; undefined when no strategy in the journal placed it. */
export function tagOf(tags: StrategyTags | undefined, row: Row): string | undefined {
  return tags?.get(row.orderId.toLowerCase());
}

/** Adds the strategy to a row for JSON output: its name, null if unknown, or nothing without a journal. */
export function withTag<Some extends Row>(row: Some, tags: StrategyTags | undefined): Some {
  return tags === undefined ? row : { ...row, strategy: tagOf(tags, row) ?? null };
}
