import type { MarketId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { mergeByTime } from "../recordings/merge-by-time.ts";
import type { ReplayEvent } from "../recordings/recorded-gaps.ts";
import type { ReplayMarket } from "./replay-setup.ts";

/** A recorded market event, or the start of a gap between two of them. */
export interface RecordedStep {
  /** Time of receipt, Unix microseconds; a replay plays events in this order. */
  readonly atUs: number;
  /** The same time in whole milliseconds, the resolution of virtual time. */
  readonly atMs: UnixMs;
  /** Id of the market in the config. */
  readonly marketId: MarketId;
  readonly event: ReplayEvent;
  /** How long the bot waits for it, in milliseconds; undefined: as long as the latency model says. */
  readonly feedMs?: number;
}

/** Where a replay reads events from: a recording, or its compiled form. */
export interface ReplaySource {
  /** One market's events, with the gaps marked. `recordedId`: its id in the recording. */
  replayEvents(recordedId: string): Iterable<ReplayEvent>;
}

/** The recorded events of these markets in order of receipt. Each market's book is in sync from its first event. */
export function recordedSteps(
  source: ReplaySource,
  markets: readonly ReplayMarket[],
): Iterable<RecordedStep> {
  return mergedSteps(
    markets.map(({ market, recordedId }) =>
      stepsOf(market.marketId, source.replayEvents(recordedId)),
    ),
  );
}

/** The steps of several markets in order of receipt. */
export function mergedSteps(sources: readonly Iterable<RecordedStep>[]): Iterable<RecordedStep> {
  const [only] = sources;
  return only !== undefined && sources.length === 1 ? only : mergeByTime(sources);
}

/** One market's synced events, with the gaps marked, as steps. */
export function* stepsOf(
  marketId: MarketId,
  events: Iterable<ReplayEvent>,
): Generator<RecordedStep> {
  for (const event of events) {
    const atMs = unixMs(Math.floor(event.atMs));
    yield { atUs: Math.round(event.atMs * 1000), atMs, marketId, event };
  }
}
