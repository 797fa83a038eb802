import { suggestion } from "../base/nearest.ts";
import { type MarketCandle, type Resolution, resolutions } from "../domain/candle.ts";
import { shown } from "./shown.ts";

/** The venue's history that a strategy needs before its first decision, of each of its markets. */
export interface WarmUp {
  /** The `count` candles before the open one; a list for several resolutions. */
  readonly candles?: CandleWarmUp | readonly CandleWarmUp[];
  /** The newest public trades, up to 1000: they come first in `view.trades` of the first decision. */
  readonly trades?: number;
}

export interface CandleWarmUp {
  /** As `touchline market candles --resolution`: "1", "5", "15", … "1D", "1W", "1M". */
  readonly resolution: Resolution;
  /** Up to 5000. */
  readonly count: number;
}

/** The candles of one resolution: each interval has one, which is flat without a trade. */
export interface CandlesView {
  /** Oldest first, at most as many as the warm-up asks for. */
  readonly closed: readonly MarketCandle[];
  /** The present one; undefined before the first trade of a market without a history. */
  readonly open: MarketCandle | undefined;
}

const CANDLES_MAX = 5_000;
const TRADES_MAX = 1_000;

export interface CheckedWarmUp {
  /** Counts by resolution. */
  readonly candles: ReadonlyMap<Resolution, number>;
  readonly trades: number;
}

/** Throws TypeError for what is not a warm-up. */
export function checkedWarmUp({ candles = [], trades = 0 }: WarmUp): CheckedWarmUp {
  const counts = new Map<Resolution, number>();
  for (const { resolution, count } of [candles].flat()) {
    if (!resolutions.includes(resolution)) {
      throw new TypeError(
        `warmUp: ${shown(resolution)} is no resolution${suggestion(resolution, resolutions)}; it is one of ${resolutions.join(", ")}`,
      );
    }
    counts.set(resolution, whole(count, CANDLES_MAX, "a count of candles"));
  }
  return { candles: counts, trades: whole(trades, TRADES_MAX, "a number of trades") };
}

function whole(value: number, max: number, what: string): number {
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new TypeError(`warmUp: ${shown(value)} is not ${what} from 0 to ${max}`);
}
