import { HOUR_MS } from "../domain/time.ts";

/** A Sharpe ratio per hour with its confidence interval. */
export interface SharpeEstimate {
  readonly perHour: number;
  /** Bounds of the 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
  /** Length and number of the intervals that it was measured over. */
  readonly intervalMs: number;
  readonly intervals: number;
}

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054;
/** With fewer intervals nothing can be said about the shape of the distribution. */
const LEAST_INTERVALS = 5;

/**
 * The Sharpe ratio of a PnL: mean change over an interval ÷ standard deviation of the changes, without a risk-free rate and without
 * a capital (it cancels out). With the ratio S of n intervals, skewness γ₃ and kurtosis γ₄ (3 for a normal distribution):
 *
 *   standard error of S = √( (1 − γ₃ S + (γ₄ − 1) / 4 · S²) / (n − 1) )
 *
 * (Mertens 2002; Bailey and López de Prado 2012, "The Sharpe Ratio Efficient Frontier"). It is asymptotic and takes the changes as
 * independent. Both are scaled to an hour by √(hour ÷ interval). Moments are updated one by one (Pébay 2008), so memory is constant.
 */
export class SharpeRatio {
  readonly #intervalMs: number;
  #pnl: number | undefined;
  #count = 0;
  #mean = 0;
  /** Sums of the second, third and fourth powers of the distance from the mean. */
  #m2 = 0;
  #m3 = 0;
  #m4 = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Adds a sample of the PnL, one interval after the last one; the first begins the measurement. */
  sample(pnl: number): void {
    if (this.#pnl !== undefined) this.add(pnl - this.#pnl);
    this.#pnl = pnl;
  }

  /** Adds the PnL's change over the next interval. */
  add(change: number): void {
    const before = this.#count;
    this.#count += 1;
    const n = this.#count;
    const delta = change - this.#mean;
    const step = delta / n;
    const term = delta * step * before;
    this.#mean += step;
    this.#m4 +=
      term * step * step * (n * n - 3 * n + 3) + 6 * step * step * this.#m2 - 4 * step * this.#m3;
    this.#m3 += term * step * (n - 2) - 3 * step * this.#m2;
    this.#m2 += term;
  }

  /** Undefined with fewer than 5 intervals, and when the PnL never changed differently. */
  estimate(): SharpeEstimate | undefined {
    const n = this.#count;
    if (n < LEAST_INTERVALS || this.#m2 <= 0) return undefined;
    const ratio = this.#mean / Math.sqrt(this.#m2 / (n - 1));
    const skewness = (Math.sqrt(n) * this.#m3) / this.#m2 ** 1.5;
    const kurtosis = (n * this.#m4) / (this.#m2 * this.#m2);
    const variance = (1 - skewness * ratio + ((kurtosis - 1) / 4) * ratio * ratio) / (n - 1);
    // Rounding may leave a variance of nearly 0 slightly below it.
    const error = Z * Math.sqrt(Math.max(0, variance));
    const perHour = Math.sqrt(HOUR_MS / this.#intervalMs);
    return {
      perHour: ratio * perHour,
      low: (ratio - error) * perHour,
      high: (ratio + error) * perHour,
      intervalMs: this.#intervalMs,
      intervals: n,
    };
  }
}

/** Standard error of a Sharpe ratio per hour, from its confidence interval. */
export function sharpeError({ low, high }: Pick<SharpeEstimate, "low" | "high">): number {
  return (high - low) / (2 * Z);
}
