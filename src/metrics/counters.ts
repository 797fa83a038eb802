import type { MarketId } from "../domain/ids.ts";
import type { Note } from "../kernel/note.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** A note about a strategy or one of its orders. */
export type StrategyNote = Extract<Note, { readonly strategy: string }>;

/** The market of a note; undefined where it is about all markets of the strategy. */
export function marketOfNote(note: StrategyNote): MarketId | undefined {
  if (note.type === "order") return note.order.marketId;
  if ("fill" in note) return note.fill.marketId;
  return "marketId" in note ? note.marketId : undefined;
}

/** The order that a note reports for the first time; undefined for a leg and for an order of an earlier run. */
export function placedBy(note: StrategyNote): OrderSnapshot | undefined {
  if (note.type !== "order" || note.before !== undefined) return undefined;
  const { origin } = note.order;
  return origin === "leg" || origin === "adopted" ? undefined : note.order;
}

/** The counts of a strategy and of the whole run: fields of the summary and of a replay's result. */
export function noCounts() {
  return {
    /** Every quote that was sent. */
    quotesPlaced: 0,
    /** Quotes that a decision left in place, counted once per decision. */
    quotesKept: 0,
    /** Placed quotes that replace an order whose price or size was off its target. */
    quotesReplaced: 0,
    /** Replacements made by a modify: one command instead of two. */
    quotesModified: 0,
    /** Quotes for which a cancel was sent; a repeated cancel counts once. */
    quotesCanceled: 0,
    fills: 0,
    makerFills: 0,
    takerFills: 0,
    ordersRejected: 0,
    /** Takes that were sent. */
    takesPlaced: 0,
    /** Stop orders that were sent, without the legs of quotes. */
    stopsPlaced: 0,
    /** Stop orders and stop-loss legs that were triggered. */
    stopsTriggered: 0,
  };
}

export type Counts = ReturnType<typeof noCounts>;

export function countNote(counts: Counts, note: StrategyNote): void {
  if (note.type === "planned") counts.quotesKept += note.kept.length;
  else if (note.type === "fill") {
    counts.fills += 1;
    counts[note.fill.isMaker ? "makerFills" : "takerFills"] += 1;
  } else if (note.type === "order") {
    countFlags(counts, note);
    const placed = placedBy(note);
    if (placed !== undefined) countPlaced(counts, placed);
  }
}

/** Counts what the note reports as true for the first time. */
function countFlags(
  counts: Counts,
  { order, before }: Extract<StrategyNote, { readonly type: "order" }>,
): void {
  const { wasCanceled, isRejected, isTriggered, role } = order;
  if (wasCanceled && before?.wasCanceled !== true && role === "quote") counts.quotesCanceled += 1;
  if (isRejected && before?.isRejected !== true) counts.ordersRejected += 1;
  if (isTriggered && before?.isTriggered !== true) counts.stopsTriggered += 1;
}

function countPlaced(counts: Counts, { role, origin }: OrderSnapshot): void {
  if (role === "quote") counts.quotesPlaced += 1;
  else if (role === "take") counts.takesPlaced += 1;
  else if (role === "stop") counts.stopsPlaced += 1;
  if (origin === "replacement" || origin === "modify") counts.quotesReplaced += 1;
  if (origin === "modify") counts.quotesModified += 1;
}

export function sumCounts(all: readonly Readonly<Counts>[]): Counts {
  const sum = noCounts();
  for (const counts of all) {
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
  }
  return sum;
}
