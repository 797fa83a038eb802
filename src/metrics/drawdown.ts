import { Decimal } from "../domain/decimal.ts";

/** Maximum drawdown: the deepest fall of a running total below its earlier peak. The total starts at 0; never negative. */
export class Drawdown {
  #peak = new Decimal(0);
  #max = new Decimal(0);

  add(total: Decimal): void {
    if (total.gt(this.#peak)) {
      this.#peak = total;
      return;
    }
    const fall = this.#peak.minus(total);
    if (fall.gt(this.#max)) this.#max = fall;
  }

  get max(): Decimal {
    return this.#max;
  }
}
