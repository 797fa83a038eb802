import type { MarketId } from "../domain/ids.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader } from "./market-reader.ts";
import type { RecordedBook, RecordedDepth, RecordedEvent } from "./recorded-event.ts";
import { SyncedBook } from "./synced-book.ts";

/**
 * One market's recorded text in the order in which it makes the book: events that came before their snapshot go out right
 * after it, those that it already holds and those that cannot be not at all. Trades and marks go out as they come.
 */
export class SyncedTexts {
  readonly #synced: SyncedBook;
  readonly #reader = new MarketReader();
  /** Recorded text of the steps that the synced book may hold and give back later. */
  readonly #texts = new WeakMap<MarketEvent, RecordedDepth | RecordedBook>();

  constructor(marketId: MarketId, snapshotIds: readonly number[]) {
    this.#synced = new SyncedBook(marketId, snapshotIds);
  }

  /** What goes out because of this event, at its time. */
  take(recorded: RecordedEvent): readonly RecordedEvent[] {
    if (recorded.type === "trade") return [recorded];
    if (recorded.type === "mark") {
      this.#reader.take(recorded);
      if (recorded.state === "closed") this.#synced.interrupted();
      return [recorded];
    }
    const event = this.#reader.take(recorded);
    if (event === undefined) return [];
    const out: RecordedEvent[] = [];
    this.#texts.set(event, recorded);
    this.#synced.take(event, (step) => {
      const text = this.#texts.get(step);
      if (text !== undefined) out.push({ ...text, atUs: recorded.atUs });
    });
    return out;
  }
}
