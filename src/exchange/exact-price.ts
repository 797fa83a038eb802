import { fixedText, fixedToNumber, type Fixed } from "../domain/fixed.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import { isWholeUnits, priceUnits } from "./notional.ts";

/** Below this many units of 10^-26 (10^7 in price) a double identifies a price of at most 8 decimals. */
const NUMBER_SAFE = 10n ** 33n;

/** The price as a reduced fraction; the denominator of an integer price is 1. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A price in every form that the exchange needs; derived values are computed once, on first use. */
export class ExactPrice {
  readonly fixed: Fixed;
  readonly number: number;
  /** Of the market that the price is in. */
  readonly rules: MarketRules;
  #fraction: Fraction | undefined = undefined;
  #isLegal: boolean | undefined = undefined;
  #minSize: Fixed | undefined = undefined;

  /** `number` is the double nearest to the price. */
  constructor(fixed: Fixed, number: number, rules: MarketRules) {
    this.fixed = fixed;
    this.number = number;
    this.rules = rules;
  }

  /** The price in units of 10^-8. */
  get units(): bigint {
    return priceUnits(this.fixed);
  }

  /** Whether the market admits this price for an order (§4.5). */
  get isLegal(): boolean {
    this.#isLegal ??= isExact(this.fixed)
      ? this.rules.isLegal(this.number)
      : this.rules.priceProblem(fixedText(this.fixed)) === undefined;
    return this.#isLegal;
  }

  /** Smallest order size in base token at this price. */
  get minSize(): Fixed {
    this.#minSize ??= this.rules.minSizeAt(this.number);
    return this.#minSize;
  }

  /** Exact price × quantity; the quantity has at most 18 decimals (D12). */
  notional(quantity: Fixed): Fixed {
    this.#fraction ??= fractionOf(this.fixed);
    const { numerator, denominator } = this.#fraction;
    const product = numerator * quantity;
    // The division is the most expensive step, so it is skipped where possible.
    return (denominator === 1n ? product : product / denominator) as Fixed;
  }
}

/** True when a double identifies the price. */
function isExact(fixed: Fixed): boolean {
  return isWholeUnits(fixed) && fixed < NUMBER_SAFE;
}

function fractionOf(fixed: Fixed): Fraction {
  const units = priceUnits(fixed);
  if (!isExact(fixed)) return { numerator: units, denominator: 100_000_000n };
  let numerator = Number(units);
  let denominator = 1e8;
  for (; denominator > 1 && numerator % 10 === 0; denominator /= 10) numerator /= 10;
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

/** Cached prices; beyond this number the cache is cleared. */
const MAX_PRICES = 4096;

/** Caches the prices of a market's orders, since the same few prices keep coming back. */
export class PriceTable {
  readonly #prices = new Map<Fixed, ExactPrice>();
  /** The latest lookup: placing one order looks its price up several times. */
  #last: ExactPrice | undefined;
  readonly #rules: MarketRules;

  constructor(rules: MarketRules) {
    this.#rules = rules;
  }

  of(price: Fixed): ExactPrice {
    if (this.#last?.fixed !== price) this.#last = this.#prices.get(price) ?? this.#add(price);
    return this.#last;
  }

  #add(price: Fixed): ExactPrice {
    if (this.#prices.size >= MAX_PRICES) this.#prices.clear();
    const exact = new ExactPrice(price, fixedToNumber(price), this.#rules);
    this.#prices.set(price, exact);
    return exact;
  }
}
