import { orderId, type OrderId } from "../domain/ids.ts";
import { text } from "./option.ts";
import type { Terminal } from "./terminal.ts";

export const journalOption = text(
  "--journal <dir>",
  "a bot's journal, which knows its orders' strategies (default: of --config)",
);

/** Order id → strategy. */
export type StrategyTags = ReadonlyMap<string, string>;

interface Row {
  readonly orderId: string;
}

/** An order, or something that happened to one, and when. */
interface TimedRow extends Row {
  readonly createdAt: number;
}

export interface TagSource {
  /** The journal's folder, as typed and as configured. */
  readonly given: string | undefined;
  readonly configured: string | undefined;
  readonly terminal: Terminal;
}

/**
 * The strategies that made these orders, as far as a bot's journal tells. The venue knows no names (§4.4 has no field for one),
 * so they live in our journal only. Undefined when there is no journal; one that was named and cannot be read is a warning.
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

/** The strategy of an order; undefined for one that no strategy of the journal made. */
export function tagOf(tags: StrategyTags | undefined, row: Row): string | undefined {
  return tags?.get(row.orderId.toLowerCase());
}

/** A row for machines: with a journal it names its order's strategy, or null. */
export function withTag<Some extends Row>(row: Some, tags: StrategyTags | undefined): Some {
  return tags === undefined ? row : { ...row, strategy: tagOf(tags, row) ?? null };
}
