import { fixedText, fixedToNumber, type Fixed } from "../domain/fixed.ts";
import { isLegalPrice, minSizeAt, priceProblem, type PriceProblem } from "../domain/price.ts";
import { opposite } from "../domain/side.ts";
import type { MarketState } from "./market-state.ts";
import { isWholeUnits } from "./notional.ts";
import type { OrderTerms } from "./order.ts";

/** Below this many units of 10^-26 (10^7 in price) a double names a price of at most 8 decimals uniquely. */
const NUMBER_SAFE = 10n ** 33n;

const priceSentences: Readonly<Record<PriceProblem, string>> = {
  "not-positive": "the price is not positive",
  "too-many-significant-digits": "the price has more than 5 significant digits",
  "too-many-decimals": "the price has more decimals than its tier allows",
};

/**
 * The rules of admission that do not need the account (§4.5, D12, D21, D22): why the order is to be REJECTED, else undefined.
 * `holdsPriceRule` is false for flow, whose recorded prices may be off the grid (D35).
 */
export function ruleProblem(
  state: MarketState,
  terms: OrderTerms,
  holdsPriceRule: boolean,
): string | undefined {
  if (!state.market.listed) return "the market is not listed";
  if (terms.orderType === "LIMIT") {
    if (terms.orderMode === 1) return "quote mode is for market orders only";
    if (holdsPriceRule) return limitProblem(terms);
    return isWholeUnits(terms.price) ? undefined : "the price is 0 or has more than 8 decimals";
  }
  if (terms.price !== 0n) return "a market order has no price";
  if (terms.orderMode === 1 || !holdsPriceRule) return undefined;
  const best = state.side(opposite(terms.side)).best();
  if (best === undefined) return "nothing to match";
  return sizeProblem(best.price, terms.quantity);
}

function limitProblem(terms: OrderTerms): string | undefined {
  const price = fixedToNumber(terms.price);
  if (terms.price >= NUMBER_SAFE || !isLegalPrice(price)) {
    const problem = priceProblem(fixedText(terms.price));
    if (problem !== undefined) return priceSentences[problem];
  }
  return sizeProblem(price, terms.quantity);
}

function sizeProblem(price: number, quantity: Fixed): string | undefined {
  const least = minSizeAt(price);
  if (quantity >= least) return undefined;
  return `the size is below the minimum of ${fixedText(least)} at this price`;
}
