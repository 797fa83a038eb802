import type { MarketId } from "../domain/ids.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader } from "./market-reader.ts";
import type { RecordedStreamEvent } from "./recorded-event.ts";
import { type BookSource, SyncedBook } from "./synced-book.ts";

/**
 * Converts one market's recorded text into events with the book in sync from the first step on. A `book` step replaces the book (there
 * is none at a cold start), a `depth` step always continues the previous one, and trades come as received.
 */
export class SyncedEvents {
  readonly #book: SyncedBook;
  readonly #reader = new MarketReader();

  constructor(marketId: MarketId, source: BookSource) {
    this.#book = new SyncedBook(marketId, source);
  }

  /** Takes the market's next event; returns those that take effect with it. */
  take(recorded: RecordedStreamEvent): readonly MarketEvent[] {
    if (recorded.type === "mark" && recorded.state === "closed") this.lost();
    const event = this.#reader.take(recorded);
    return event === undefined ? [] : this.takeEvent(event);
  }

  /** As `take`, for an event that is numbers already. */
  takeEvent(event: MarketEvent): readonly MarketEvent[] {
    if (event.type === "trade") return [event];
    const steps: MarketEvent[] = [];
    this.#book.take(event, (step) => {
      // A held event takes effect when its snapshot arrives.
      steps.push(step.atMs < event.atMs ? { ...step, atMs: event.atMs } : step);
    });
    return steps;
  }

  /** The stream was lost before the next event. */
  lost(): void {
    this.#book.interrupted();
  }
}
