import { type Estimator, type EstimatorOptions, MIN_SAMPLES, needs } from "./estimator.ts";
import { ewma } from "./ewma.ts";
import { startMean, type WeightedMean } from "./weighted-mean.ts";

/** The standard deviation of the return of a second, from that of a day. */
export function secondVolatility(ofDay: number): number {
  return ofDay / Math.sqrt(86_400);
}

/** An undefined price is passed over. */
export interface PriceSample {
  readonly timeMs: number;
  readonly price: number | undefined;
}

interface Sampled {
  last?: { readonly timeMs: number; readonly price: number };
}

export interface VolatilityState extends Sampled {
  /** Of squared log returns by second. */
  readonly variance: WeightedMean;
}

function intervalOf({ intervalMs = 1_000 }: { readonly intervalMs?: number | undefined }): number {
  needs(intervalMs > 0, `intervalMs is ${intervalMs}, it must be above 0.`);
  return intervalMs;
}

/**
 * The squared log return by second since the last sampled price, at least `intervalMs` ago; then this price is the last. Each one is an
 * unbiased estimate of the variance of a second, whatever the interval.
 */
function nextVariance(
  state: Sampled,
  { timeMs, price }: PriceSample,
  intervalMs: number,
): number | undefined {
  const { last } = state;
  if (price === undefined) return undefined;
  if (last !== undefined && timeMs < last.timeMs + intervalMs) return undefined;
  state.last = { timeMs, price };
  if (last === undefined) return undefined;
  return Math.log(price / last.price) ** 2 / ((timeMs - last.timeMs) / 1_000);
}

/**
 * Exponentially weighted volatility as in RiskMetrics (1996): the standard deviation of the log return of one second. Times the price, it is
 * σ of an arithmetic Brownian motion in quote token; times 293.9 (the root of 86,400), that of a day.
 *
 * `intervalMs`, 1 s by default, is the least time between two samples: a shorter one also measures the bounce between bid and ask.
 */
export function volatility(
  options: EstimatorOptions & { readonly intervalMs?: number | undefined },
): Estimator<PriceSample, VolatilityState> {
  const { prior, minSamples = MIN_SAMPLES, halfLifeMs } = options;
  const intervalMs = intervalOf(options);
  const variance = ewma({
    halfLifeMs,
    minSamples,
    prior: prior === undefined ? undefined : prior ** 2,
  });
  const most = 1 / (1 - 2 ** (-intervalMs / halfLifeMs));
  needs(
    minSamples <= most,
    `halfLifeMs is ${halfLifeMs}, too short: samples every ${intervalMs} ms would never weigh minSamples, which is ${minSamples}.`,
  );
  return {
    start: () => ({ variance: startMean() }),
    update(state, sample) {
      const value = nextVariance(state, sample, intervalMs);
      variance.update(state.variance, { timeMs: sample.timeMs, value });
    },
    isReady: (state) => variance.isReady(state.variance),
    value: (state) => rootOf(variance.value(state.variance)),
    standardError: ({ variance: state }) => errorOfRoot(state.mean, variance.standardError(state)),
  };
}

export interface RealisedVolatilityState extends Sampled {
  /** The newest squared log returns by second; the oldest is at `next` once there are `samples` of them. */
  readonly variances: number[];
  next: number;
}

/**
 * Realised volatility (Andersen and others, 2003): as `volatility`, over the newest `samples` intervals with equal weights. The state has
 * `samples` numbers.
 */
export function realisedVolatility(options: {
  readonly samples: number;
  readonly intervalMs?: number | undefined;
  readonly minSamples?: number | undefined;
  readonly prior?: number | undefined;
}): Estimator<PriceSample, RealisedVolatilityState> {
  const { samples, minSamples = MIN_SAMPLES, prior } = options;
  const intervalMs = intervalOf(options);
  needs(
    samples >= minSamples,
    `samples is ${samples}, it must not be below minSamples, which is ${minSamples}.`,
  );
  const sumOf = ({ variances }: RealisedVolatilityState) =>
    variances.reduce((sum, each) => sum + each, 0);
  return {
    start: () => ({ variances: [], next: 0 }),
    update(state, sample) {
      const value = nextVariance(state, sample, intervalMs);
      if (value === undefined) return;
      if (state.variances.length > samples) state.variances.length = samples;
      state.next %= samples;
      state.variances[state.next] = value;
      state.next += 1;
    },
    isReady: ({ variances }) => variances.length >= minSamples,
    value(state) {
      const missing = Math.max(0, minSamples - state.variances.length);
      if (missing > 0 && prior === undefined) return undefined;
      const sum = sumOf(state) + missing * (prior ?? 0) ** 2;
      return Math.sqrt(sum / (state.variances.length + missing));
    },
    standardError(state) {
      const { length } = state.variances;
      if (length < 3) return undefined;
      const mean = sumOf(state) / length;
      const squares = state.variances.reduce((sum, each) => sum + (each - mean) ** 2, 0);
      return errorOfRoot(mean, Math.sqrt(squares / (length - 1) / length));
    },
  };
}

function rootOf(variance: number | undefined): number | undefined {
  return variance === undefined ? undefined : Math.sqrt(variance);
}

function errorOfRoot(variance: number, error: number | undefined): number | undefined {
  return error === undefined || variance === 0 ? undefined : error / (2 * Math.sqrt(variance));
}
