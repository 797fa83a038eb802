import { assert } from "../base/assert.ts";
import { UNIT, ZERO, type Fixed } from "../domain/fixed.ts";

/** The ledger rounds fees to 18 decimals (D18): one unit of 10^-18 as a Fixed. */
const STEP = 10n ** 8n;

/** A fee rate as a reduced fraction, so that charging it takes one short product and one division. A rebate is negative. */
export class FeeRate {
  readonly rate: Fixed;
  readonly #numerator: bigint;
  readonly #isRebate: boolean;
  readonly #divisor: bigint;
  readonly #half: bigint;

  /** `rate` is the share of the received amount, between −1 and 1. */
  constructor(rate: Fixed) {
    assert(-rate < UNIT && rate < UNIT, "a fee rate between -1 and 1");
    this.rate = rate;
    this.#isRebate = rate < 0n;
    let numerator: bigint = this.#isRebate ? -rate : rate;
    let denominator: bigint = UNIT;
    while (numerator !== 0n && numerator % 10n === 0n) {
      numerator /= 10n;
      denominator /= 10n;
    }
    this.#numerator = numerator;
    this.#divisor = denominator * STEP;
    this.#half = this.#divisor / 2n;
  }

  /** The fee on a non-negative amount, rounded half-up at 18 decimals, away from zero (D18). */
  of(amount: Fixed): Fixed {
    if (this.#numerator === 0n) return ZERO;
    const fee = ((amount * this.#numerator + this.#half) / this.#divisor) * STEP;
    return (this.#isRebate ? -fee : fee) as Fixed;
  }
}
