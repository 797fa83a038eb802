import type { MarketId } from "../domain/ids.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader } from "./market-reader.ts";
import type { RecordedBook, RecordedDepth, RecordedEvent } from "./recorded-event.ts";
import type { Recording } from "./recording.ts";
import type { Steps } from "./steps.ts";
import { type BookSource, SyncedBook } from "./synced-book.ts";

/** Calls `take` with the text of a recording, each market's in the order that rebuilds its book (`SyncedTexts`). */
export function syncedTexts(
  recording: Recording,
  take: (recorded: RecordedEvent) => void,
): Steps<void> {
  const snapshotIds = recording.snapshotIds();
  const markets = new Map(
    recording.manifest.markets.map(({ marketId }) => [
      marketId,
      new SyncedTexts(marketId as MarketId, recording.bookSource(marketId, snapshotIds)),
    ]),
  );
  return recording.inSteps(({ event }) => markets.get(event.marketId)?.take(event).forEach(take));
}

/**
 * Emits one market's recorded text in the order that rebuilds the book. Events that arrived before their snapshot are emitted
 * right after it; events that the snapshot already contains or that are impossible are dropped. Trades and marks pass through.
 */
export class SyncedTexts {
  readonly #synced: SyncedBook;
  readonly #reader = new MarketReader();
  /** Recorded text of the steps that the synced book may hold and return later. */
  readonly #texts = new WeakMap<MarketEvent, RecordedDepth | RecordedBook>();

  constructor(marketId: MarketId, source: BookSource) {
    this.#synced = new SyncedBook(marketId, source);
  }

  /** Returns the events to emit now, with the time of receipt of `recorded`. */
  take(recorded: RecordedEvent): readonly RecordedEvent[] {
    if (recorded.type === "trade" || recorded.type === "candle") return [recorded];
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
