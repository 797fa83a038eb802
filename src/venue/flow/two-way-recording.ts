import type { FlatLevels } from "../../domain/depth.ts";
import type { RecordedMarketEvent } from "./recorded-market.ts";

/** A step of a recording that can be played in either direction. */
export type TwoWayStep =
  | {
      readonly type: "depth";
      /** Time since the first event. */
      readonly offsetMs: number;
      readonly bids: FlatLevels;
      readonly asks: FlatLevels;
      /** The previous quantities of the same levels, played when the recording runs backwards. */
      readonly bidsBefore: FlatLevels;
      readonly asksBefore: FlatLevels;
    }
  | {
      readonly type: "trade";
      readonly offsetMs: number;
      readonly price: number;
      readonly quantity: number;
      readonly isBuyerMaker: boolean;
    };

/** Plays the recording once to find what every event changed; a snapshot becomes the changes it implies. */
export function twoWaySteps(events: readonly RecordedMarketEvent[]): TwoWayStep[] {
  const bids = new Map<number, number>();
  const asks = new Map<number, number>();
  const startMs = events[0]?.atMs ?? 0;
  return events.map((event) => {
    const offsetMs = event.atMs - startMs;
    if (event.type === "trade") {
      const { price, quantity, isBuyerMaker } = event.trade;
      return { type: "trade", offsetMs, price, quantity, isBuyerMaker };
    }
    const isWhole = event.type === "book";
    const levels = isWhole ? event.snapshot : event.event;
    const bid = change(bids, levels.bids, isWhole);
    const ask = change(asks, levels.asks, isWhole);
    return {
      type: "depth",
      offsetMs,
      bids: bid.after,
      asks: ask.after,
      bidsBefore: bid.before,
      asksBefore: ask.before,
    };
  });
}

/** Applies one side of an event to the book and returns the changed levels, after and before. */
function change(
  book: Map<number, number>,
  levels: FlatLevels,
  isWhole: boolean,
): { readonly before: FlatLevels; readonly after: FlatLevels } {
  const target = new Map<number, number>();
  if (isWhole) for (const price of book.keys()) target.set(price, 0);
  for (let at = 0; at + 1 < levels.length; at += 2)
    target.set(levels[at] ?? 0, levels[at + 1] ?? 0);
  const before = new Float64Array(2 * target.size);
  const after = new Float64Array(2 * target.size);
  let at = 0;
  for (const [price, quantity] of target) {
    before[at] = price;
    after[at] = price;
    before[at + 1] = book.get(price) ?? 0;
    after[at + 1] = quantity;
    at += 2;
    if (quantity > 0) book.set(price, quantity);
    else book.delete(price);
  }
  return { before, after };
}
