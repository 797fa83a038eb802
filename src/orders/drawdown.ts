import { Decimal } from "../domain/decimal.ts";

/** Maximum drawdown: the deepest fall of a running total below its earlier peak. The total starts at 0; never negative. */
export class Drawdown {
  #peak: Decimal;
  #max: Decimal;

  /** Continues from the peak and the maximum drawdown of earlier runs. */
  constructor(peak: Decimal = new Decimal(0), max: Decimal = new Decimal(0)) {
    this.#peak = peak;
    this.#max = max;
  }

  /** Returns true when the total is a new peak or the deepest fall so far. */
  add(total: Decimal): boolean {
    if (total.gt(this.#peak)) {
      this.#peak = total;
      return true;
    }
    const fall = this.#peak.minus(total);
    if (!fall.gt(this.#max)) return false;
    this.#max = fall;
    return true;
  }

  /** The highest total so far; at least 0 unless it continues from a lower one. */
  get peak(): Decimal {
    return this.#peak;
  }

  get max(): Decimal {
    return this.#max;
  }
}
