import {
  type Fixed,
  fixed,
  fixedFromNumber,
  fixedText,
  fixedToNumber,
  parseFixed,
  truncFixed,
} from "../domain/fixed.ts";
import { LOT_DECIMALS_MAX, TICK_DECIMALS_MAX } from "../domain/fixed-rules.ts";
import { gridRules } from "../domain/grid-rules.ts";
import type { RecordedRules } from "./manifest.ts";
import type { RecordedEvent } from "./recorded-event.ts";

/**
 * Infers the tick and the lot of a recorded market from its data: the greatest steps of which every price and every
 * quantity is a whole multiple. Exact, but coarser than the truth where the market never used its finest step.
 */
export class NativeGrid {
  readonly #tick = new CommonStep(TICK_DECIMALS_MAX);
  readonly #lot = new CommonStep(LOT_DECIMALS_MAX);
  #fitsVenueGrid = true;

  take(event: RecordedEvent): void {
    if (event.type === "mark") return;
    if (event.type === "trade") {
      this.#pair(event.price, event.quantity);
      return;
    }
    if (event.type === "candle") {
      for (const price of [event.open, event.high, event.low, event.close]) {
        this.#pair(price, event.volume);
      }
      return;
    }
    for (const [price, quantity] of event.bids) this.#pair(price, quantity);
    for (const [price, quantity] of event.asks) this.#pair(price, quantity);
  }

  /** Undefined when there is too little data, or when its steps are too fine for orders. */
  get rules(): RecordedRules | undefined {
    const tick = this.#tick.found;
    const lot = this.#lot.found;
    if (tick === undefined || lot === undefined) return undefined;
    return {
      tick: fixedText(tick),
      lot: fixedText(lot),
      source: "inferred",
      fitsVenueGrid: this.#fitsVenueGrid,
    };
  }

  #pair(priceText: string, quantityText: string): void {
    if (!(this.#tick.holds(priceText) && this.#lot.holds(quantityText))) {
      const price = parseFixed(priceText);
      const quantity = parseFixed(quantityText);
      // Replays leave such rows out as well.
      if (price === undefined || quantity === undefined || price <= 0n || quantity < 0n) return;
      this.#tick.take(price);
      if (quantity > 0n) this.#lot.take(quantity);
    }
    if (this.#fitsVenueGrid) this.#fitsVenueGrid = gridRules.isLegal(Number(priceText));
  }
}

/**
 * Number of different values that must have been seen. The probability that all of them are multiples of twice the true step is
 * 2^-32.
 */
const VALUES_MIN = 32;
/** Text of up to this many characters determines a double uniquely. */
const SHORT_TEXT = 15;
const SHORT_SCALE = 1e8;

/** The greatest common divisor of the values seen. */
class CommonStep {
  readonly #decimalsMax: number;
  readonly #values = new Set<Fixed>();
  #step = 0n as Fixed;
  /** The step in units of 10^-8; 0 if it is not a whole number of them. */
  #units = 0;

  constructor(decimalsMax: number) {
    this.#decimalsMax = decimalsMax;
  }

  /** A quick check that saves most of the work: true only if enough values were seen and this one is a multiple of the step. */
  holds(text: string): boolean {
    if (this.#units === 0 || text.length > SHORT_TEXT || this.#values.size < VALUES_MIN)
      return false;
    const value = Number(text);
    const units = Math.round(value * SHORT_SCALE);
    return units > 0 && units / SHORT_SCALE === value && units % this.#units === 0;
  }

  take(value: Fixed): void {
    if (this.#values.size < VALUES_MIN) this.#values.add(value);
    if (this.#step !== 0n && value % this.#step === 0n) return;
    this.#step = greatestCommonDivisor(this.#step, value);
    const units = Math.round(fixedToNumber(this.#step) * SHORT_SCALE);
    this.#units = fixedFromNumber(units / SHORT_SCALE) === this.#step ? units : 0;
  }

  get found(): Fixed | undefined {
    const isTooFine = truncFixed(this.#step, this.#decimalsMax) !== this.#step;
    return this.#values.size < VALUES_MIN || isTooFine ? undefined : this.#step;
  }
}

/** Combines the rules of a market from two recordings; undefined when either is unknown. */
export function joinRules(
  left: RecordedRules | undefined,
  right: RecordedRules | undefined,
): RecordedRules | undefined {
  if (left === undefined || right === undefined) return undefined;
  const common = (one: string, other: string): string =>
    fixedText(greatestCommonDivisor(fixed(one), fixed(other)));
  const isStated = left.source === "stated" && right.source === "stated";
  const minSizes = new Set([left.minSize, right.minSize]);
  const [minSize] = minSizes;
  return {
    tick: common(left.tick, right.tick),
    lot: common(left.lot, right.lot),
    ...(minSizes.size > 1 || minSize === undefined ? {} : { minSize }),
    source: isStated ? "stated" : "inferred",
    fitsVenueGrid: left.fitsVenueGrid && right.fitsVenueGrid,
  };
}

/** Euclid's algorithm; the divisor of 0 and a value is the value. */
function greatestCommonDivisor(left: Fixed, right: Fixed): Fixed {
  let [large, small] = [left, right];
  while (small !== 0n) [large, small] = [small, (large % small) as Fixed];
  return large;
}
