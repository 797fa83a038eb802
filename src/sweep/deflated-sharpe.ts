import { normalCdf, normalQuantile } from "./normal-distribution.ts";

/** A Sharpe ratio with its standard error, both over the same length of time. */
export interface SharpeWithError {
  readonly ratio: number;
  readonly error: number;
}

export interface DeflatedSharpe {
  /** Probability that the true Sharpe ratio is above 0 although the best of many runs was chosen. */
  readonly probability: number;
  /** Sharpe ratio that the best of as many runs without skill is expected to have: SR₀. */
  readonly expectedMaximum: number;
  /** Number of runs that it was chosen from: N. */
  readonly trials: number;
}

/** Euler-Mascheroni constant. */
const GAMMA = 0.5772156649015329;

/**
 * Deflated Sharpe ratio of a run that was chosen from many (Bailey and López de Prado, "The Deflated Sharpe Ratio: Correcting for
 * Selection Bias, Backtest Overfitting and Non-Normality", Journal of Portfolio Management 40 (5), 2014, equations 1 and 2):
 *
 *   SR₀ = √V[SRₙ] · ((1 − γ) Φ⁻¹(1 − 1/N) + γ Φ⁻¹(1 − 1/(N e)))
 *   DSR = Φ( (SR − SR₀) √(T − 1) ÷ √(1 − γ₃ SR + (γ₄ − 1)/4 · SR²) ) = Φ((SR − SR₀) ÷ standard error of SR)
 *
 * `all` are the ratios of all N runs, the chosen one included. Undefined for a ratio whose error is 0.
 */
export function deflatedSharpe(
  chosen: SharpeWithError,
  all: readonly number[],
): DeflatedSharpe | undefined {
  if (!(chosen.error > 0)) return undefined;
  const expectedMaximum = expectedMaximumSharpe(varianceOf(all), all.length);
  const probability = normalCdf((chosen.ratio - expectedMaximum) / chosen.error);
  return { probability, expectedMaximum, trials: all.length };
}

/** SR₀ for a variance of the ratios and a number of independent runs; 0 for a single run. */
export function expectedMaximumSharpe(variance: number, trials: number): number {
  if (trials < 2) return 0;
  const first = normalQuantile(1 - 1 / trials);
  const second = normalQuantile(1 - 1 / (trials * Math.E));
  return Math.sqrt(variance) * ((1 - GAMMA) * first + GAMMA * second);
}

/** Sample variance; 0 for fewer than two values. */
function varianceOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return squares / (values.length - 1);
}
