import { type EstimatorOptions, MIN_SAMPLES } from "./estimator.ts";

/** Mean and variance of samples with fading weights, updated as in West (1979). */
export interface WeightedMean {
  /** Of the newest sample; 0 before the first. */
  timeMs: number;
  weight: number;
  weightSquares: number;
  mean: number;
  /** Weighted sum of squared deviations from the mean. */
  squares: number;
}

export function startMean(): WeightedMean {
  return { timeMs: 0, weight: 0, weightSquares: 0, mean: 0, squares: 0 };
}

/** What is left of a weight after `durationMs`. A time before the newest sample's counts as the same time. */
export function fading(durationMs: number, halfLifeMs: number): number {
  return 2 ** (-Math.max(0, durationMs) / halfLifeMs);
}

/** The time that has passed, with weights that fade: `halfLifeMs / ln 2` at most. */
export function fadedDuration(durationMs: number, halfLifeMs: number): number {
  return (-halfLifeMs / Math.LN2) * Math.expm1((-Math.LN2 * Math.max(0, durationMs)) / halfLifeMs);
}

export function addSample(
  state: WeightedMean,
  sample: { readonly timeMs: number; readonly value: number },
  { halfLifeMs }: EstimatorOptions,
): void {
  const left = fading(sample.timeMs - state.timeMs, halfLifeMs);
  state.timeMs = Math.max(state.timeMs, sample.timeMs);
  state.weight = state.weight * left + 1;
  state.weightSquares = state.weightSquares * left * left + 1;
  const deviation = sample.value - state.mean;
  state.mean += deviation / state.weight;
  state.squares = state.squares * left + deviation * (sample.value - state.mean);
}

export function isMeanReady(
  { weight }: WeightedMean,
  { minSamples = MIN_SAMPLES }: EstimatorOptions,
): boolean {
  return weight >= minSamples;
}

/** The mean, with the prior in place of missing samples. */
export function meanOf(
  { weight, mean }: WeightedMean,
  { minSamples = MIN_SAMPLES, prior }: EstimatorOptions,
): number | undefined {
  if (weight >= minSamples) return mean;
  if (prior === undefined) return undefined;
  return (weight * mean + (minSamples - weight) * prior) / minSamples;
}

/** With the number of equal weights that are worth as much (Kish, 1965). */
export function meanError({ weight, weightSquares, squares }: WeightedMean): number | undefined {
  const count = weight ** 2 / weightSquares;
  return count > 2 ? Math.sqrt(squares / weight / (count - 1)) : undefined;
}
