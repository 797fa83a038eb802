import type { MarketDataEvent, RecordedBook, RecordedDepth } from "../recorded-event.ts";

type Changes = Omit<RecordedDepth, "firstId" | "finalId">;
type Whole = Omit<RecordedBook, "lastId">;

/**
 * Update ids for a source that has none. The time of receipt serves as one: an event ends at its own microsecond and starts after the
 * previous event of its market.
 */
export class MadeIds {
  readonly #last = new Map<string, number>();

  of(event: Changes | Whole): MarketDataEvent {
    const before = this.#last.get(event.marketId);
    const id = Math.max(event.atUs, (before ?? 0) + 1);
    this.#last.set(event.marketId, id);
    if (event.type === "book") return { ...event, lastId: id };
    return { ...event, firstId: (before ?? id - 1) + 1, finalId: id };
  }
}
