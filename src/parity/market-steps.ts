import { inExchangeTime, shortestDelay } from "../backtest/exchange-time.ts";
import { mergedSteps, type RecordedStep, stepsOf } from "../backtest/recorded-step.ts";
import type { MarketId } from "../domain/ids.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { withGaps } from "../recordings/recorded-gaps.ts";
import { SyncedEvents } from "../recordings/synced-events.ts";
import type { LiveRun } from "./live-run.ts";

/** The market of a run, on our clock. */
export interface MarketSteps {
  /** In the order in which they happened, each with the delay with which the bot received it (`feedMs`). */
  readonly steps: readonly RecordedStep[];
  /** The venue's clock minus ours, by which times of the venue become times of the steps. */
  readonly offsetMs: number;
}

/** The market data of a run as a replay plays them: what happened at the venue's time, and when the bot received it. */
export function marketSteps({ market, offsetMs }: LiveRun): MarketSteps {
  const received = [
    ...mergedSteps(
      [...market].map(([marketId, events]) =>
        stepsOf(marketId, withGaps(synced(marketId, events), undefined)),
      ),
    ),
  ];
  const shortest = shortestDelay(received);
  // Clocks are known to some milliseconds only, and nothing is received before it happened.
  const minMs = Math.max(0, shortest + offsetMs);
  return { steps: [...inExchangeTime(() => received, minMs)], offsetMs: minMs - shortest };
}

function* synced(
  marketId: MarketId,
  events: readonly (MarketEvent | "lost")[],
): Generator<MarketEvent> {
  const snapshotIds = events.flatMap((event) =>
    event !== "lost" && event.type === "book" ? [event.snapshot.lastId] : [],
  );
  const book = new SyncedEvents(marketId, { ids: undefined, snapshotIds });
  for (const event of events) {
    if (event === "lost") book.lost();
    else yield* book.takeEvent(event);
  }
}
