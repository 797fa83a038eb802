import type { Resolution } from "../domain/candle.ts";
import { CandleSeries } from "../domain/candle-series.ts";
import type { MarketId } from "../domain/ids.ts";
import { type CheckedWarmUp, checkedWarmUp } from "../strategy/warm-up.ts";
import { marketsOf } from "../domain/market-roles.ts";
import type { StrategyBinding } from "./config.ts";

export interface WantedHistory {
  readonly marketId: MarketId;
  /** How many candles before the open one, by resolution. */
  readonly candles: Map<Resolution, number>;
  trades: number;
}

/** What the strategies need of each market. An invalid warm-up needs nothing here: the runner reports it. */
export function wantedHistory(bindings: readonly StrategyBinding[]): readonly WantedHistory[] {
  const wanted = new Map<MarketId, WantedHistory>();
  for (const binding of bindings) {
    const warmUp = warmUpOf(binding);
    if (warmUp === undefined || warmUp instanceof Error) continue;
    for (const { marketId } of marketsOf(binding)) {
      const one = wanted.get(marketId) ?? { marketId, candles: new Map(), trades: 0 };
      wanted.set(marketId, one);
      one.trades = Math.max(one.trades, warmUp.trades);
      for (const [resolution, count] of warmUp.candles)
        one.candles.set(resolution, Math.max(count, one.candles.get(resolution) ?? 0));
    }
  }
  return [...wanted.values()];
}

/** The checked warm-up of a strategy; undefined without one, an Error for an invalid one. */
export function warmUpOf({
  definition: { warmUp },
  params,
}: StrategyBinding): CheckedWarmUp | Error | undefined {
  try {
    const wanted = typeof warmUp === "function" ? warmUp({ params }) : warmUp;
    return wanted === undefined ? undefined : checkedWarmUp(wanted);
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

/** One market's history. */
interface MarketHistory {
  readonly marketId: MarketId;
  readonly series: readonly KeptSeries[];
  readonly wantedTrades: number;
  hasTrades: boolean;
}

export interface KeptSeries {
  readonly candles: CandleSeries;
  readonly count: number;
  /** All candles before this time are as the venue has them; undefined before the first answer. */
  exactMs: number | undefined;
}

/** `sinceMs`: when they were first read, our clock; Infinity before. */
export interface Histories {
  readonly markets: readonly MarketHistory[];
  sinceMs: number;
}

export function makeHistories(bindings: readonly StrategyBinding[]): Histories {
  const markets = wantedHistory(bindings).map(({ marketId, candles, trades }) => ({
    marketId,
    series: [...candles].map(([resolution, count]) => ({
      candles: new CandleSeries(resolution, count),
      count,
      exactMs: undefined,
    })),
    wantedTrades: trades,
    hasTrades: trades === 0,
  }));
  return { markets, sinceMs: Number.POSITIVE_INFINITY };
}
