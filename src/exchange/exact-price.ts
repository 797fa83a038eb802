import { fixedText, fixedToNumber, type Fixed } from "../domain/fixed.ts";
import { isLegalPrice, minSizeAt, priceProblem } from "../domain/price.ts";
import { isWholeUnits, priceUnits } from "./notional.ts";

/** Below this many units of 10^-26 (10^7 in price) a double names a price of at most 8 decimals uniquely. */
const NUMBER_SAFE = 10n ** 33n;

/** A price as orders are held to it and charged by it: worked out once, when first needed. */
interface PriceTerms {
  readonly isOnGrid: boolean;
  readonly minSize: Fixed;
  /** The smallest fraction that is the price; for one of whole quote tokens the denominator is 1. */
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A price in all the forms that the exchange needs. */
export class ExactPrice {
  readonly fixed: Fixed;
  readonly number: number;
  #terms: PriceTerms | undefined = undefined;

  /** `number` is the double nearest to the price. */
  constructor(fixed: Fixed, number: number) {
    this.fixed = fixed;
    this.number = number;
  }

  /** The price in units of 10^-8. */
  get units(): bigint {
    return priceUnits(this.fixed);
  }

  /** An order may have it (§4.5). */
  get isOnGrid(): boolean {
    return this.#known().isOnGrid;
  }

  /** Smallest order size in base token at this price. */
  get minSize(): Fixed {
    return this.#known().minSize;
  }

  /** Exact price × quantity; the quantity has at most 18 decimals (D12). */
  notional(quantity: Fixed): Fixed {
    const { numerator, denominator } = this.#known();
    const product = numerator * quantity;
    // A division costs more than all else.
    return (denominator === 1n ? product : product / denominator) as Fixed;
  }

  #known(): PriceTerms {
    this.#terms ??= termsOf(this.fixed, this.number);
    return this.#terms;
  }
}

function termsOf(fixed: Fixed, number: number): PriceTerms {
  const minSize = minSizeAt(number);
  const units = priceUnits(fixed);
  if (!isWholeUnits(fixed) || fixed >= NUMBER_SAFE) {
    const isOnGrid = priceProblem(fixedText(fixed)) === undefined;
    return { isOnGrid, minSize, numerator: units, denominator: 100_000_000n };
  }
  let numerator = Number(units);
  let denominator = 1e8;
  for (; denominator > 1 && numerator % 10 === 0; denominator /= 10) numerator /= 10;
  return {
    isOnGrid: isLegalPrice(number),
    minSize,
    numerator: BigInt(numerator),
    denominator: BigInt(denominator),
  };
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
    const exact = new ExactPrice(price, fixedToNumber(price));
    this.#prices.set(price, exact);
    return exact;
  }
}
