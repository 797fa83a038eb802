import { fixedText, fixedToNumber, type Fixed } from "../domain/fixed.ts";
import { isLegalPrice, minSizeAt, priceProblem } from "../domain/price.ts";
import { isWholeUnits, priceUnits } from "./notional.ts";

/** Below this many units of 10^-26 (10^7 in price) a double names a price of at most 8 decimals uniquely. */
const NUMBER_SAFE = 10n ** 33n;
const E8 = 1e8;

/** A price in all the forms that the exchange needs, worked out once. */
export class ExactPrice {
  readonly fixed: Fixed;
  readonly number: number;
  /** The price in units of 10^-8. */
  readonly units: bigint;
  /** An order may have it (§4.5). */
  readonly isOnGrid: boolean;
  /** Smallest order size in base token at this price. */
  readonly minSize: Fixed;
  readonly #numerator: bigint;
  readonly #denominator: bigint;

  constructor(price: Fixed) {
    this.fixed = price;
    this.number = fixedToNumber(price);
    this.units = priceUnits(price);
    const isSafe = isWholeUnits(price) && price < NUMBER_SAFE;
    this.isOnGrid = isSafe
      ? isLegalPrice(this.number)
      : priceProblem(fixedText(price)) === undefined;
    this.minSize = minSizeAt(this.number);
    // The smallest fraction: a product with whole quote tokens needs no division, which costs more than all else of it.
    let numerator = Number(this.units);
    let denominator = E8;
    if (isSafe) {
      for (; denominator > 1 && numerator % 10 === 0; denominator /= 10) numerator /= 10;
    }
    this.#numerator = isSafe ? BigInt(numerator) : this.units;
    this.#denominator = BigInt(denominator);
  }

  /** Exact price × quantity; the quantity has at most 18 decimals (D12). */
  notional(quantity: Fixed): Fixed {
    const product = this.#numerator * quantity;
    return (this.#denominator === 1n ? product : product / this.#denominator) as Fixed;
  }
}

/** Prices in use at a time; beyond that they are worked out again. */
const MAX_PRICES = 4096;

/** Remembers the prices that a market's orders name: they name the same ones again and again. */
export class PriceTable {
  readonly #prices = new Map<Fixed, ExactPrice>();
  /** The last one asked for: it is asked for several times while an order is placed. */
  #last: ExactPrice | undefined;

  of(price: Fixed): ExactPrice {
    if (this.#last?.fixed !== price) this.#last = this.#prices.get(price) ?? this.#add(price);
    return this.#last;
  }

  #add(price: Fixed): ExactPrice {
    if (this.#prices.size >= MAX_PRICES) this.#prices.clear();
    const exact = new ExactPrice(price);
    this.#prices.set(price, exact);
    return exact;
  }
}
