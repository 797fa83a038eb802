import { ok } from "../../base/result.ts";
import { fixedToNumber } from "../../domain/fixed.ts";
import { toUnixSec } from "../../domain/time.ts";
import { countOpens } from "../../exchange/candles.ts";
import type { candles as endpoint } from "../../spec/endpoints/candles.ts";
import { CANDLES_MAX } from "../../spec/limits.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";
import { knownMarket } from "../known-market.ts";

/** Every failure is 400 here, including an unknown market (D32). */
export const candles: Handler<typeof endpoint> = (context, query) => {
  const { resolution, from } = query;
  const marketId = knownMarket(context, query.marketId);
  if (!marketId.ok) return failure(400, marketId.error.errMsg);
  const to = query.to ?? toUnixSec(context.clock.nowMs());
  if (from > to) return failure(400, "from is above to.");
  if (countOpens(resolution, from, to) > CANDLES_MAX) {
    return failure(400, `The range exceeds the maximum of ${CANDLES_MAX} data points.`);
  }
  return ok(
    context.exchange.candles(marketId.value, resolution, from, to).map((candle) => ({
      marketId: marketId.value,
      resolution,
      timestamp: candle.openSec,
      open: candle.open,
      high: candle.high,
      low: candle.low,
      close: candle.close,
      volume: fixedToNumber(candle.volume),
      quoteVolume: fixedToNumber(candle.quoteVolume),
      tradeCount: candle.tradeCount,
    })),
  );
};
