import type { MarketId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import { mergeByTime } from "../recordings/merge-by-time.ts";
import type { Recording } from "../recordings/recording.ts";
import type { ReplayMarket } from "./replay-setup.ts";

/** Something that happened in a market while it was recorded. */
export interface RecordedStep {
  /** When it was received; the order of a replay. */
  readonly atUs: number;
  /** The same in whole milliseconds: the tick of virtual time that it belongs to. */
  readonly atMs: UnixMs;
  /** The config's name of the market. */
  readonly marketId: MarketId;
  readonly event: MarketEvent;
}

/** The recording's events of these markets in the order of their receipt, each market's book in sync from its first step on. */
export function recordedSteps(
  recording: Recording,
  markets: readonly ReplayMarket[],
): Iterable<RecordedStep> {
  const sources = markets.map((market) => stepsOf(recording, market));
  const [only] = sources;
  return only !== undefined && sources.length === 1 ? only : mergeByTime(sources);
}

function* stepsOf(recording: Recording, market: ReplayMarket): Generator<RecordedStep> {
  const { marketId } = market.market;
  for (const event of recording.syncedEvents(market.recordedId)) {
    const atMs = unixMs(Math.floor(event.atMs));
    yield { atUs: Math.round(event.atMs * 1000), atMs, marketId, event };
  }
}
