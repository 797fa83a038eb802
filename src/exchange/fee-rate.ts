import { assert } from "../base/assert.ts";
import { UNIT, ZERO, type Fixed } from "../domain/fixed.ts";

/** The ledger rounds fees to 18 decimals (D18): one unit of 10^-18 as a Fixed. */
const STEP = 10n ** 8n;

/** A fee rate as a reduced fraction, so that charging it takes one short product and one division. */
export class FeeRate {
  readonly rate: Fixed;
  readonly #numerator: bigint;
  readonly #divisor: bigint;
  readonly #half: bigint;

  /** `rate` is the share of the received amount, from 0 to below 1. */
  constructor(rate: Fixed) {
    assert(rate >= 0n && rate < UNIT, "a fee rate from 0 to below 1");
    this.rate = rate;
    let numerator: bigint = rate;
    let denominator: bigint = UNIT;
    while (numerator !== 0n && numerator % 10n === 0n) {
      numerator /= 10n;
      denominator /= 10n;
    }
    this.#numerator = numerator;
    this.#divisor = denominator * STEP;
    this.#half = this.#divisor / 2n;
  }

  /** The fee on a non-negative amount, rounded half-up at 18 decimals (D18). */
  of(amount: Fixed): Fixed {
    if (this.#numerator === 0n) return ZERO;
    return (((amount * this.#numerator + this.#half) / this.#divisor) * STEP) as Fixed;
  }
}
