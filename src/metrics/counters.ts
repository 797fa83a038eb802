import type { Note } from "../kernel/note.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** A note about a strategy or one of its orders. */
export type StrategyNote = Extract<Note, { readonly strategy: string }>;

/** The order that a note tells of for the first time, when it was placed by itself: no leg, no order of an earlier run. */
export function placedBy(note: StrategyNote): OrderSnapshot | undefined {
  if (note.type !== "order" || note.before !== undefined) return undefined;
  const { origin } = note.order;
  return origin === "leg" || origin === "adopted" ? undefined : note.order;
}

/** The order that something became true of. */
function became(
  note: StrategyNote,
  flag: "wasCanceled" | "isRejected" | "isTriggered",
): OrderSnapshot | undefined {
  if (note.type !== "order" || !note.order[flag] || note.before?.[flag] === true) return undefined;
  return note.order;
}

const one = (isCounted: boolean): number => (isCounted ? 1 : 0);

/**
 * What is counted alike for one strategy and for the whole run: each entry says how much a note adds, and is a field of the
 * summary and of a replay's result.
 */
export const counters = {
  /** Every quote that was sent. */
  quotesPlaced: (note) => one(placedBy(note)?.role === "quote"),
  /** Once per decision. */
  quotesKept: (note) => (note.type === "kept" ? note.count : 0),
  /** Of those placed, the ones that take the place of an order that was canceled for its price or size. */
  quotesReplaced: (note) => {
    const origin = placedBy(note)?.origin;
    return one(origin === "replacement" || origin === "modify");
  },
  /** Of those, the ones moved by a modify: one command instead of two. */
  quotesModified: (note) => one(placedBy(note)?.origin === "modify"),
  /** Quotes that a cancel was sent for, each once, however often it was repeated. */
  quotesCanceled: (note) => one(became(note, "wasCanceled")?.role === "quote"),
  fills: (note) => one(note.type === "fill"),
  makerFills: (note) => one(note.type === "fill" && note.fill.isMaker),
  takerFills: (note) => one(note.type === "fill" && !note.fill.isMaker),
  ordersRejected: (note) => one(became(note, "isRejected") !== undefined),
  /** Stop orders that were sent; legs of quotes are not among them. */
  stopsPlaced: (note) => one(placedBy(note)?.role === "stop"),
  /** Stop orders and stop-loss legs that fired. */
  stopsTriggered: (note) => one(became(note, "isTriggered") !== undefined),
} satisfies Readonly<Record<string, (note: StrategyNote) => number>>;

export type Counts = Record<keyof typeof counters, number>;

const names = Object.keys(counters) as readonly (keyof Counts)[];

export function noCounts(): Counts {
  return Object.fromEntries(names.map((name) => [name, 0])) as Counts;
}

export function countNote(counts: Counts, note: StrategyNote): void {
  for (const name of names) counts[name] += counters[name](note);
}

export function sumCounts(all: readonly Readonly<Counts>[]): Counts {
  const sum = noCounts();
  for (const name of names) for (const counts of all) sum[name] += counts[name];
  return sum;
}
