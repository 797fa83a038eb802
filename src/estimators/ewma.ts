import { type Estimator, type EstimatorOptions, needsHalfLife } from "./estimator.ts";
import {
  addSample,
  isMeanReady,
  meanError,
  meanOf,
  startMean,
  type WeightedMean,
} from "./weighted-mean.ts";

export interface EwmaOptions extends EstimatorOptions {
  /** Values that come sooner after the last sample are passed over, so that the pace of calls changes nothing. Default 0. */
  readonly intervalMs?: number | undefined;
}

/** Exponentially weighted mean. An undefined value is passed over. */
export function ewma(
  options: EwmaOptions,
): Estimator<{ readonly timeMs: number; readonly value: number | undefined }, WeightedMean> {
  needsHalfLife(options);
  return {
    start: startMean,
    update(state, { timeMs, value }) {
      const nextMs = state.weight === 0 ? 0 : state.timeMs + (options.intervalMs ?? 0);
      if (value === undefined || timeMs < nextMs) return;
      addSample(state, { timeMs, value }, options);
    },
    isReady: (state) => isMeanReady(state, options),
    value: (state) => meanOf(state, options),
    standardError: meanError,
  };
}

/** Prices of two markets at one time; undefined while one is not known. */
export interface PricePair {
  readonly timeMs: number;
  readonly local: number | undefined;
  readonly source: number | undefined;
}

/** Exponentially weighted mean of the local price less the source's: `source + basis` is a fair local price. */
export function basis(options: EwmaOptions): Estimator<PricePair, WeightedMean> {
  const mean = ewma(options);
  return {
    ...mean,
    update(state, { timeMs, local, source }) {
      const isKnown = local !== undefined && source !== undefined;
      mean.update(state, { timeMs, value: isKnown ? local - source : undefined });
    },
  };
}
