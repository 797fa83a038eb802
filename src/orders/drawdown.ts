import { Decimal } from "../domain/decimal.ts";

/** Error of a few operations on doubles, as a share of the largest of them: a thousand times what it can be. */
export const DOUBT = 1e-12;

/** Maximum drawdown: the deepest fall of a running total below its earlier peak. The total starts at 0; never negative. */
export class Drawdown {
  #peak: Decimal;
  #max: Decimal;
  #peakNumber: number;
  #maxNumber: number;

  /** Continues from the peak and the maximum drawdown of earlier runs. */
  constructor(peak: Decimal = new Decimal(0), max: Decimal = new Decimal(0)) {
    this.#peak = peak;
    this.#max = max;
    this.#peakNumber = peak.toNumber();
    this.#maxNumber = max.toNumber();
  }

  /** Returns true when the total is a new peak or the deepest fall so far. */
  add(total: Decimal): boolean {
    if (total.gt(this.#peak)) {
      this.#peak = total;
      this.#peakNumber = total.toNumber();
      return true;
    }
    const fall = this.#peak.minus(total);
    if (!fall.gt(this.#max)) return false;
    this.#max = fall;
    this.#maxNumber = fall.toNumber();
    return true;
  }

  /** Whether `add` would certainly change nothing for a total of about `total`, off by `error` at most. */
  ignores(total: number, error: number): boolean {
    const fall = this.#peakNumber - total;
    const doubt = error + DOUBT * (Math.abs(this.#peakNumber) + this.#maxNumber);
    return fall > doubt && fall < this.#maxNumber - doubt;
  }

  /** The highest total so far; at least 0 unless it continues from a lower one. */
  get peak(): Decimal {
    return this.#peak;
  }

  get max(): Decimal {
    return this.#max;
  }
}
