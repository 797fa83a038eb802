import { partOf, partsOf, type StrategyPart } from "../domain/market-roles.ts";
import { withMarketIds } from "../domain/market-of-ticker.ts";
import { counted } from "../base/counted.ts";
import { TouchlineError } from "../base/error.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { hashOf } from "../dashboard/access-tokens.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { AdjustedEntry, RunHeader } from "../journal/entry.ts";
import type { CarriedItem, RestoredOrder } from "../kernel/input.ts";
import type {
  CarriedBaseline,
  CarriedImports,
  CarriedPosition,
  CarriedRisk,
} from "../orders/carried.ts";
import { positionFigures } from "../metrics/position-figures.ts";
import { type BookedPosition, flatPosition, PositionBook } from "../orders/position-book.ts";
import type { Store } from "../ports/store.ts";
import { usageError } from "./exit-code.ts";
import { text } from "./option.ts";
import type { Terminal } from "./terminal.ts";
import type { ConfigInputs } from "./venue-options.ts";

export const strategyName = text("--strategy <name>", "the strategy's name in the YAML");
export const positionMarket = text(
  "--market <id>",
  "the position's market, when the strategy has positions in several",
);

/** Throws a usage error for a strategy that is none of the known ones. */
export function refuseUnknown(strategy: string, known: Iterable<string>): void {
  const names = new Set(known);
  if (names.has(strategy)) return;
  throw usageError(`There is no strategy ${strategy}.`, `There are ${[...names].join(", ")}.`);
}

/** What a bot's journal leaves to its next run. */
export interface OpenedPositions {
  readonly config: BotConfig;
  readonly store: Store;
  readonly header: RunHeader;
  readonly carried: readonly CarriedItem[];
  /** Orders that may still be open, or have executions that the journal lacks. */
  readonly orders: readonly RestoredOrder[];
  /** Every position in the journal, and a flat one for each strategy of the configuration that has none. */
  readonly positions: readonly CarriedPosition[];
}

/** Reads the positions in the journal of a configuration. Throws `JOURNAL_MISSING` before the bot's first run. */
export async function openPositions(file: string, inputs: ConfigInputs): Promise<OpenedPositions> {
  const { loadBotConfig } = await import("../config/load-bot-config.ts");
  const { createStore } = await import("../platform/store.ts");
  const { restore } = await import("../journal/restore.ts");
  const written = await loadBotConfig(file, inputs);
  const store = createStore();
  const { restored, header } = restore(store, written.journal.path);
  if (header === undefined) {
    throw new TouchlineError("JOURNAL_MISSING", `There is no journal in ${written.journal.path}.`, {
      hint: "The first run makes it, a short one is enough: `touchline run CONFIG --duration 1m`.",
    });
  }
  const config = withMarketIds(written, header.markets);
  const { carried, orders } = restored;
  const known = carried.filter((item): item is CarriedPosition => item.type === "position");
  const flat = partsOf(config.strategies)
    .filter(
      ({ strategy, marketId }) =>
        !known.some((one) => one.strategy === strategy && one.marketId === marketId),
    )
    .map(({ strategy, marketId }) => flatPosition(strategy, marketId));
  return { config, store, header, carried, orders, positions: [...known, ...flat] };
}

/** Shows whether an exported position was edited. */
export function exportDigest({
  account,
  chainId,
  strategy,
  positions,
}: Readonly<Record<"account" | "chainId" | "strategy" | "positions", unknown>>): string {
  return hashOf(JSON.stringify([account, chainId, strategy, positions]));
}

/** The strategy of the configuration, in the market, that the position belongs to. */
export function partHolding(
  { strategies }: BotConfig,
  { strategy, marketId }: CarriedPosition,
): StrategyPart | undefined {
  return partOf(strategies, strategy, marketId);
}

/** The one position that the options name. Throws a usage error when they name none or several. */
export function chosenPosition(
  { positions, config }: OpenedPositions,
  given: { readonly strategy: string | undefined; readonly market: string | undefined },
): CarriedPosition {
  const found = positions.filter(
    (one) =>
      (given.strategy === undefined ||
        one.strategy === given.strategy ||
        partHolding(config, one)?.name === given.strategy) &&
      (given.market === undefined || one.marketId === given.market),
  );
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  // A strategy that has moved means the market where it is now; its name alone means its own market.
  const configured = found.filter((one) => partHolding(config, one)?.name === given.strategy);
  const [current, ...more] = configured;
  if (given.strategy !== undefined && current !== undefined && more.length === 0) return current;
  const names = positions.map(({ strategy, marketId }) => `${strategy} in ${marketId}`).join(", ");
  throw usageError(
    only === undefined ? "There is no such position." : "Several positions are meant.",
    `Give --strategy and --market: ${names}.`,
  );
}

/** The position of a record, to compute with. */
export function bookedPosition(one: CarriedPosition): BookedPosition {
  const book = new PositionBook();
  book.restore(one);
  return book.of(one.strategy, one.marketId);
}

/** A position's own fields for JSON lines, amounts as decimal text. */
export function positionFields(one: CarriedPosition) {
  const booked = bookedPosition(one);
  const { base, averagePrice, realisedPnl, fees } = positionFigures([booked], undefined);
  const { drawdown } = booked;
  return {
    strategy: one.strategy,
    market: one.marketId,
    base,
    averagePrice,
    realisedPnl,
    fees,
    peakPnl: drawdown.peak.toDecimalPlaces(18).toFixed(),
    maxDrawdown: drawdown.max.toDecimalPlaces(18).toFixed(),
  };
}

/** The risk ladders that count this position, with the starts of their losses that `change` gives them; without: they count anew. */
export function riskWith(
  carried: readonly CarriedItem[],
  { strategy, marketId }: CarriedPosition,
  change: (item: CarriedRisk, baseline: CarriedBaseline) => CarriedBaseline | undefined,
): readonly CarriedRisk[] {
  return carried.flatMap((item) => {
    if (item.type !== "risk" || item.baseline?.markets.includes(marketId) !== true) return [];
    if (item.strategy !== undefined && item.strategy !== strategy) return [];
    const { baseline: before, ...rest } = item;
    const baseline = change(item, before);
    return [{ ...rest, ...(baseline === undefined ? {} : { baseline }) }];
  });
}

/** A position that a person sets is no profit or loss. */
const riskAnew = ({ carried }: OpenedPositions, found: CarriedPosition): readonly CarriedRisk[] =>
  riskWith(carried, found, () => undefined);

async function refuseAnother(
  { config, header }: OpenedPositions,
  env: ConfigInputs["env"],
): Promise<void> {
  const owner = await ownerOf(config, env);
  const { kernel, chainId } = header;
  const isOwn = owner === undefined || owner === kernel.owner;
  if (isOwn && config.venue.chainId === chainId) return;
  const { path } = config.journal;
  throw new TouchlineError(
    "JOURNAL_OF_ANOTHER",
    `The journal in ${path} belongs to ${kernel.owner} on chain ${chainId}, the configuration to ${owner ?? "that account"} on chain ${config.venue.chainId}.`,
    { context: { path }, hint: "Give the configuration that the journal's bot ran with." },
  );
}

/** The account of a configuration; undefined when only its key tells, which is not at hand or has a password. */
async function ownerOf(
  { account }: BotConfig,
  env: ConfigInputs["env"],
): Promise<Address | undefined> {
  if (account === undefined || account.owner !== undefined) return account?.owner;
  const { signer } = account;
  const { keySource, namedAddress } = await import("../platform/key-source.ts");
  if (signer.type === "keystore") {
    const { readKeystore } = await import("../platform/keystore-file.ts");
    const { path } = signer;
    return namedAddress(path, readKeystore(path));
  }
  if (env[signer.name] === undefined) return undefined;
  const { loadCrypto } = await import("../platform/crypto.ts");
  const crypto = await loadCrypto();
  return crypto.signer(await keySource(signer, env).open()).address;
}

/** The orders of a position whose executions the journal may lack: the next start books them. */
function inQuestion(
  { orders }: OpenedPositions,
  { strategy, marketId }: CarriedPosition,
): readonly OrderId[] {
  return orders
    .filter((order) => order.strategy === strategy && order.marketId === marketId)
    .map(({ orderId }) => orderId);
}

/** Emits and prints a changed position, and names the orders that may still change it. */
export function reportChanged(
  event: string,
  text: string,
  { before, after, inQuestion: ids }: Awaited<ReturnType<typeof changePosition>>,
  terminal: Terminal,
): void {
  terminal.emit(event, { ...after, before, inQuestion: ids });
  terminal.print(text);
  if (ids.length === 0) return;
  const orders = counted(ids.length, "order");
  terminal.warn(
    `The journal may lack executions of ${orders} of ${after.strategy} in ${after.market}. The next start books those on top of this position: ${ids.join(", ")}.`,
  );
}

/**
 * Replaces the chosen position by what `change` makes of it, in the journal of a bot that is stopped; `from` is what it was made from, `risk` has the risk ladders and
 * `imports` the exports that change with it. Returns the fields of both, and the orders whose executions the journal may lack. Throws
 * `JOURNAL_LOCKED` while a bot uses the journal, and `JOURNAL_OF_ANOTHER` when it is that of another account or chain.
 */
export async function changePosition(
  file: string,
  inputs: ConfigInputs,
  options: Parameters<typeof chosenPosition>[1],
  change: (found: CarriedPosition) => CarriedPosition,
  {
    from = {},
    // A trade is a profit or loss.
    risk = from.trade === undefined ? riskAnew : () => [],
    imports = () => [],
  }: {
    readonly from?: Pick<AdjustedEntry, "trade">;
    readonly risk?: (opened: OpenedPositions, found: CarriedPosition) => readonly CarriedRisk[];
    readonly imports?: (
      opened: OpenedPositions,
      found: CarriedPosition,
    ) => readonly CarriedImports[];
  } = {},
) {
  const { store, config } = await openPositions(file, inputs);
  const { path } = config.journal;
  if (!store.lock(path)) {
    throw new TouchlineError("JOURNAL_LOCKED", `The bot of ${file} is running.`, {
      context: { path },
      hint: "Stop it first: a running bot counts its own position.",
    });
  }
  try {
    // Read again, now that nothing else writes.
    const opened = await openPositions(file, inputs);
    const { bookedIn, refuseBooked } = await import("./refuse-booked.ts");
    const { trade } = from;
    if (trade !== undefined) refuseBooked(opened.carried, trade.fill.tradeId);
    await refuseAnother(opened, inputs.env);
    const found = chosenPosition(opened, options);
    const changed = change(found);
    const { adjustJournal } = await import("../journal/adjust.ts");
    const { bookedWith } = await import("../orders/carried.ts");
    const booked =
      trade === undefined ? [] : bookedWith(bookedIn(opened.carried), trade.fill.tradeId);
    const items = [changed, ...booked, ...risk(opened, found), ...imports(opened, found)];
    // The store holds the lock.
    await adjustJournal(store, path, items, unixMs(Date.now()), from);
    return {
      before: positionFields(found),
      after: positionFields(changed),
      inQuestion: inQuestion(opened, found),
    };
  } finally {
    store.unlock(path);
  }
}
