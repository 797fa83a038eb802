import { addFixed, ZERO } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Candles } from "./candles.ts";
import type { TickerRecord } from "./records.ts";

const DAY_SEC = 86_400;

/**
 * The rolling 24 hours of a market (§2.8), to the minute. `open24h` is the last price before the window, or else the first one in
 * it. Without a trade in the window all four prices are the last price; before the first trade they are 0 (D32).
 */
export function tickerOf(marketId: MarketId, candles: Candles, nowMs: UnixMs): TickerRecord {
  const fromSec = Math.floor(nowMs / 1000) - DAY_SEC;
  let price = 0;
  let open = 0;
  let high = 0;
  let low = 0;
  let volume = ZERO;
  let quoteVolume = ZERO;
  for (const candle of candles.newestFirst("1")) {
    if (price === 0) price = open = high = low = candle.close;
    if (candle.openSec <= fromSec) {
      open = candle.close;
      break;
    }
    open = candle.open;
    high = Math.max(high, candle.high);
    low = Math.min(low, candle.low);
    volume = addFixed(volume, candle.volume);
    quoteVolume = addFixed(quoteVolume, candle.quoteVolume);
  }
  return {
    marketId,
    price,
    open24h: open,
    high24h: high,
    low24h: low,
    volume24h: volume,
    quoteVolume24h: quoteVolume,
  };
}
