import type { MarketId } from "../domain/ids.ts";
import type { MarketEvent } from "./market-event.ts";
import { SyncedBook } from "./synced-book.ts";

/**
 * One market's events for a replay, with the book in sync from the first step on. A `book` step replaces the book (there is
 * none at a cold start), a `depth` step always continues the previous one, and trades come as received. `lost` stands where the
 * stream was lost, `snapshotIds` are the `lastId`s of all snapshots among the events.
 */
export function* syncedEvents(
  marketId: MarketId,
  events: Iterable<MarketEvent | "lost">,
  snapshotIds: readonly number[],
): Generator<MarketEvent> {
  const book = new SyncedBook(marketId, snapshotIds);
  const steps: MarketEvent[] = [];
  for (const event of events) {
    if (event === "lost") {
      book.interrupted();
      continue;
    }
    book.take(event, (step) => {
      // A held event takes effect when its snapshot arrives.
      steps.push(step.atMs < event.atMs ? { ...step, atMs: event.atMs } : step);
    });
    yield* steps;
    steps.length = 0;
  }
}
