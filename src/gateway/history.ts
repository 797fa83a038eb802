import type { Clock } from "../ports/clock.ts";
import { unixMs } from "../domain/time.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import { endpoints } from "../spec/endpoints.ts";
import { type CandleListOptions, listCandles } from "./candle-list.ts";
import { tradeFrom } from "./from-wire.ts";
import { readFailed } from "./read-failed.ts";
import type { VenueClient } from "./venue-client.ts";

export type HistoryRead = Extract<Read, { readonly type: "candles" | "trades" }>;

export function isHistoryRead(read: Read): read is HistoryRead {
  return read.type === "candles" || read.type === "trades";
}

/** Reads the public history of a market. */
export async function fetchHistory(
  client: Pick<VenueClient, "call">,
  read: HistoryRead,
  options: Pick<CandleListOptions, "venueNowMs" | "signal" | "waitForToken">,
): Promise<Input> {
  const { marketId } = read;
  if (read.type === "trades") {
    const { limit } = read;
    const trades = await client.call(endpoints.trades, { marketId, limit }, options);
    return { type: "trades", marketId, trades: trades.map(tradeFrom).toReversed() };
  }
  const { resolution, fromMs } = read;
  const found = await listCandles((endpoint, query, call) => client.call(endpoint, query, call), {
    marketId,
    resolution,
    fromSec: fromMs / 1000,
    ...options,
  });
  const candles = found.map(({ timestamp, open, high, low, close, volume }) => ({
    timeMs: unixMs(timestamp * 1000),
    open,
    high,
    low,
    close,
    volume,
  }));
  return { type: "candles", marketId, resolution, fromMs, candles };
}

/** The same as an input in any case, for a bot whose other reads do not reach the venue. */
export async function publicHistory(
  read: HistoryRead,
  client: Pick<VenueClient, "call">,
  clock: Pick<Clock, "nowMs">,
): Promise<Input> {
  try {
    return await fetchHistory(client, read, { venueNowMs: clock.nowMs() });
  } catch (thrown) {
    return readFailed(read, thrown);
  }
}
