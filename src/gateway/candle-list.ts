import { TransportError } from "../base/error.ts";
import { type Resolution, resolutionSec } from "../domain/candle.ts";
import { candles, type WireCandle } from "../spec/endpoints/candles.ts";
import { CANDLES_MAX } from "../spec/limits.ts";
import type { CallEndpoint } from "./account-lists.ts";
import type { CallOptions } from "./venue-client.ts";

/** The most requests of one list. */
const MAX_PAGES = 1_000;

export interface CandleListOptions extends CallOptions {
  readonly marketId: string;
  readonly resolution: Resolution;
  /** Open time of the first candle, Unix seconds; undefined: the newest 1000 intervals. */
  readonly fromSec?: number | undefined;
  /** Open time of the last candle, Unix seconds; undefined: now. */
  readonly toSec?: number | undefined;
  /** Awaited before each request but the first. */
  readonly waitForToken?: (() => Promise<void>) | undefined;
  /** Our estimate of the venue's time now. */
  readonly venueNowMs: number;
}

/**
 * Candles of a time range of any length, oldest first, each once. One request covers 1000 intervals, including those without
 * trades (§4.3). Rejects with `LIST_TOO_LONG`, before any request, when the range has more than a million intervals.
 */
export async function listCandles(
  call: CallEndpoint,
  options: CandleListOptions,
): Promise<readonly WireCandle[]> {
  const { marketId, resolution, venueNowMs } = options;
  const intervalSec = resolutionSec[resolution];
  const pageSec = CANDLES_MAX * intervalSec;
  const toSec = options.toSec ?? Math.floor(venueNowMs / 1000);
  const fromSec = options.fromSec ?? Math.max(0, toSec - pageSec + 1);
  if (toSec - fromSec >= MAX_PAGES * pageSec) {
    const message = `More than ${MAX_PAGES * CANDLES_MAX} intervals of resolution ${resolution} were requested.`;
    throw new TransportError("not-sent", "LIST_TOO_LONG", message);
  }
  const found = new Map<number, WireCandle>();
  for (let from = fromSec; from <= toSec; from += pageSec) {
    const to = Math.min(toSec, from + pageSec - 1);
    if (from > fromSec) await options.waitForToken?.();
    for (const candle of await call(candles, { marketId, resolution, from, to }, options)) {
      found.set(candle.timestamp, candle);
    }
  }
  return [...found.values()].toSorted((left, right) => left.timestamp - right.timestamp);
}
