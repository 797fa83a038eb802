import type { MarketId } from "../domain/ids.ts";
import type { Note } from "../kernel/note.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** A note about a strategy or one of its orders. */
export type StrategyNote = Extract<Note, { readonly strategy: string }>;

/** The market of a note; undefined where it is about all markets of the strategy. */
export function marketOfNote(note: StrategyNote): MarketId | undefined {
  if (note.type === "order") return note.order.marketId;
  if (note.type === "fill") return note.fill.marketId;
  return "marketId" in note ? note.marketId : undefined;
}

/** The order that a note reports for the first time; undefined for a leg and for an order of an earlier run. */
export function placedBy(note: StrategyNote): OrderSnapshot | undefined {
  if (note.type !== "order" || note.before !== undefined) return undefined;
  const { origin } = note.order;
  return origin === "leg" || origin === "adopted" ? undefined : note.order;
}

const flags = ["wasCanceled", "isRejected", "isTriggered"] as const;

/** The order whose `flag` the note reports as true for the first time. */
function became(note: StrategyNote, flag: (typeof flags)[number]): OrderSnapshot | undefined {
  if (note.type !== "order" || !note.order[flag] || note.before?.[flag] === true) return undefined;
  return note.order;
}

const countIf = (isCounted: boolean): number => (isCounted ? 1 : 0);

/**
 * The counts of a strategy and of the whole run. Each entry gives how much a note adds to it, and is a field of the summary and
 * of a replay's result. A counter of orders counts new orders and changes of `flags` only: `countNote` passes no other note `order`.
 */
const counters = {
  /** Every quote that was sent. */
  quotesPlaced: (note) => countIf(placedBy(note)?.role === "quote"),
  /** Quotes that a decision left in place, counted once per decision. */
  quotesKept: (note) => (note.type === "planned" ? note.kept.length : 0),
  /** Placed quotes that replace an order whose price or size was off its target. */
  quotesReplaced: (note) => {
    const origin = placedBy(note)?.origin;
    return countIf(origin === "replacement" || origin === "modify");
  },
  /** Replacements made by a modify: one command instead of two. */
  quotesModified: (note) => countIf(placedBy(note)?.origin === "modify"),
  /** Quotes for which a cancel was sent; a repeated cancel counts once. */
  quotesCanceled: (note) => countIf(became(note, "wasCanceled")?.role === "quote"),
  fills: (note) => countIf(note.type === "fill"),
  makerFills: (note) => countIf(note.type === "fill" && note.fill.isMaker),
  takerFills: (note) => countIf(note.type === "fill" && !note.fill.isMaker),
  ordersRejected: (note) => countIf(became(note, "isRejected") !== undefined),
  /** Takes that were sent. */
  takesPlaced: (note) => countIf(placedBy(note)?.role === "take"),
  /** Stop orders that were sent, without the legs of quotes. */
  stopsPlaced: (note) => countIf(placedBy(note)?.role === "stop"),
  /** Stop orders and stop-loss legs that were triggered. */
  stopsTriggered: (note) => countIf(became(note, "isTriggered") !== undefined),
} satisfies Readonly<Record<string, (note: StrategyNote) => number>>;

export type Counts = Record<keyof typeof counters, number>;

const names = Object.keys(counters) as readonly (keyof Counts)[];

export function noCounts(): Counts {
  return Object.fromEntries(names.map((name) => [name, 0])) as Counts;
}

export function countNote(counts: Counts, note: StrategyNote): void {
  if (note.type === "order" && !isCounted(note)) return;
  for (const name of names) counts[name] += counters[name](note);
}

/** Whether the order is new or one of its flags has just been set, which most changes are not. */
function isCounted({ order, before }: Extract<StrategyNote, { readonly type: "order" }>): boolean {
  return before === undefined || flags.some((flag) => order[flag] && !before[flag]);
}

export function sumCounts(all: readonly Readonly<Counts>[]): Counts {
  const sum = noCounts();
  for (const name of names) for (const counts of all) sum[name] += counts[name];
  return sum;
}
