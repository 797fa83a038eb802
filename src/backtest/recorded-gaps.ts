import type { UnixMs } from "../domain/time.ts";
import type { MarketEvent } from "../recordings/market-event.ts";

/** From here until the market's next `book` event, its book is not known. */
export interface RecordedGap {
  readonly type: "gap";
  readonly atMs: UnixMs;
}

/**
 * Marks each gap of one market's synced events where it begins, right after the last depth event before it. A gap ends with a `book`
 * event: the snapshot that replaces the book, or without one an empty book at the next depth event, as at a cold start, since levels from
 * before the gap may be long gone. Trades inside a gap are left out: what they filled depends on a book that is not known.
 */
export function* withGaps(events: Iterable<MarketEvent>): Generator<MarketEvent | RecordedGap> {
  let last: { readonly atMs: UnixMs; readonly id: number } | undefined;
  /** Trades since the last depth event: whether they count is known only with the next one. */
  let trades: MarketEvent[] = [];
  for (const event of events) {
    if (event.type === "trade") {
      if (last === undefined) yield event;
      else trades.push(event);
      continue;
    }
    const isGap =
      last !== undefined && (event.type === "book" || event.event.firstId > last.id + 1);
    if (last !== undefined && isGap) yield { type: "gap", atMs: last.atMs };
    else yield* trades;
    trades = [];
    if (isGap && event.type === "depth") yield emptyBook(event);
    yield event;
    const id = event.type === "book" ? event.snapshot.lastId : event.event.finalId;
    last = { atMs: event.atMs, id };
  }
  yield* trades;
}

function emptyBook({ atMs, event }: Extract<MarketEvent, { type: "depth" }>): MarketEvent {
  const { marketId, firstId, timeMs } = event;
  const none = new Float64Array();
  return {
    type: "book",
    atMs,
    snapshot: { marketId, lastId: firstId - 1, timeMs, bids: none, asks: none },
  };
}
