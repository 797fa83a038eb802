import { inExchangeTime, shortestDelay } from "../backtest/exchange-time.ts";
import { mergedSteps, type RecordedStep, stepsOf } from "../backtest/recorded-step.ts";
import { syncedEvents } from "../recordings/synced-events.ts";
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
        stepsOf(
          marketId,
          syncedEvents(
            marketId,
            events,
            events.flatMap((event) =>
              event !== "lost" && event.type === "book" ? [event.snapshot.lastId] : [],
            ),
          ),
        ),
      ),
    ),
  ];
  const shortest = shortestDelay(received);
  // Clocks are known to some milliseconds only, and nothing is received before it happened.
  const minMs = Math.max(0, shortest + offsetMs);
  return { steps: [...inExchangeTime(() => received, minMs)], offsetMs: minMs - shortest };
}
