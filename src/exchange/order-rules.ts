import { fixedText, fixedToNumber, type Fixed } from "../domain/fixed.ts";
import { isLegalPrice, minSizeAt, priceProblem, type PriceProblem } from "../domain/price.ts";
import { opposite } from "../domain/side.ts";
import type { MarketState } from "./market-state.ts";
import { isWholeUnits } from "./notional.ts";
import { isLimit, type Order, type TpslRequest } from "./order.ts";
import type { Trigger } from "./trigger.ts";

/** Below this many units of 10^-26 (10^7 in price) a double names a price of at most 8 decimals uniquely. */
const NUMBER_SAFE = 10n ** 33n;

const priceSentences: Readonly<Record<PriceProblem, string>> = {
  "not-positive": "is not positive",
  "too-many-significant-digits": "has more than 5 significant digits",
  "too-many-decimals": "has more decimals than its tier allows",
};

/**
 * The rules of admission that do not need the account (§4.5, D12, D21, D22, D24): why the order is to be REJECTED, else undefined.
 * `holdsPriceRule` is false for flow, whose recorded prices may be off the grid (D35).
 */
export function ruleProblem(
  state: MarketState,
  order: Order,
  holdsPriceRule: boolean,
): string | undefined {
  if (!state.market.listed) return "the market is not listed";
  const { trigger, price, quantity } = order;
  if (trigger !== undefined && trigger.state !== "fired") return stopProblem(order, trigger);
  if (isLimit(order.orderType)) {
    if (order.orderMode === 1) return "quote mode is for market orders only";
    if (holdsPriceRule) return gridProblem("the price", price) ?? sizeProblem(price, quantity);
    return isWholeUnits(price) ? undefined : "the price is 0 or has more than 8 decimals";
  }
  if (price !== 0n) return "a market order has no price";
  if (order.orderMode === 1 || !holdsPriceRule) return undefined;
  const best = state.side(opposite(order.side)).best();
  if (best === undefined) return "nothing to match";
  return sizeProblemAt(best.price, quantity);
}

/** A stop market order's size is held to the tier of its stop price (D24). */
function stopProblem(order: Order, trigger: Trigger): string | undefined {
  const problem = gridProblem("the stop price", trigger.price);
  if (problem !== undefined) return problem;
  const { price, quantity, orderMode } = order;
  if (isLimit(order.orderType)) {
    if (orderMode === 1) return "quote mode is for market orders only";
    return gridProblem("the price", price) ?? sizeProblem(price, quantity);
  }
  if (price !== 0n) return "a market order has no price";
  return orderMode === 1 ? undefined : sizeProblem(trigger.price, quantity);
}

/** Take profit on the winning side of the price, stop loss on the losing one, all on the grid (D22, D25). */
export function tpslProblem(order: Order, tpsl: TpslRequest): string | undefined {
  const { tpLimit, slTrigger, slLimit } = tpsl;
  const problem =
    gridProblem("tpLimit", tpLimit) ??
    gridProblem("slTrigger", slTrigger) ??
    (slLimit === undefined ? undefined : gridProblem("slLimit", slLimit));
  if (problem !== undefined) return problem;
  const { price } = order;
  if (order.side === "BUY") {
    return tpLimit > price && price > slTrigger
      ? undefined
      : "tpLimit has to be above the price of a buy, slTrigger below it";
  }
  return tpLimit < price && price < slTrigger
    ? undefined
    : "tpLimit has to be below the price of a sell, slTrigger above it";
}

function gridProblem(name: string, price: Fixed): string | undefined {
  if (price < NUMBER_SAFE && isLegalPrice(fixedToNumber(price))) return undefined;
  const problem = priceProblem(fixedText(price));
  return problem === undefined ? undefined : `${name} ${priceSentences[problem]}`;
}

function sizeProblem(price: Fixed, quantity: Fixed): string | undefined {
  return sizeProblemAt(fixedToNumber(price), quantity);
}

function sizeProblemAt(price: number, quantity: Fixed): string | undefined {
  const least = minSizeAt(price);
  if (quantity >= least) return undefined;
  return `the size is below the minimum of ${fixedText(least)} at this price`;
}
