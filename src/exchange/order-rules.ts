import { fixedText, type Fixed } from "../domain/fixed.ts";
import type { PriceProblem } from "../domain/market-rules.ts";
import { opposite } from "../domain/side.ts";
import type { TpslRequest } from "./command.ts";
import type { ExactPrice, PriceTable } from "./exact-price.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import { isLimit, type Order } from "./order.ts";
import type { TriggerCondition } from "./trigger.ts";

const priceSentences: Readonly<Record<PriceProblem, string>> = {
  "not-positive": "is not positive",
  "too-many-significant-digits": "has more than 5 significant digits",
  "too-many-decimals": "has more decimals than its tier allows",
  "off-tick": "is not a multiple of the tick",
};

/** The admission rules that do not depend on the account (§4.5, D12, D21, D22, D24). Returns why the order is REJECTED. */
export function ruleProblem(state: ExchangeMarket, order: Order): string | undefined {
  if (!state.market.listed) return "the market is not listed";
  const { trigger, price, quantity } = order;
  if (trigger !== undefined && trigger.state !== "fired") {
    return stopProblem(state.prices, order, trigger);
  }
  if (isLimit(order.orderType)) {
    if (order.orderMode === 1) return "quote mode is for market orders only";
    return limitProblem(state.prices.of(price), quantity);
  }
  if (price !== 0n) return "a market order has no price";
  if (order.orderMode === 1) return undefined;
  const best = state.bestPrice(opposite(order.side));
  if (best === undefined) return "nothing to match";
  return sizeProblem(best, quantity);
}

/** The minimum size of a stop market order is that of its stop price (D24). */
function stopProblem(
  prices: PriceTable,
  order: Order,
  trigger: TriggerCondition,
): string | undefined {
  const stopPrice = prices.of(trigger.price);
  const problem = priceProblem("the stop price", stopPrice);
  if (problem !== undefined) return problem;
  const { price, quantity, orderMode } = order;
  if (isLimit(order.orderType)) {
    if (orderMode === 1) return "quote mode is for market orders only";
    return limitProblem(prices.of(price), quantity);
  }
  if (price !== 0n) return "a market order has no price";
  return orderMode === 1 ? undefined : sizeProblem(stopPrice, quantity);
}

/** The take profit lies on the winning side of the price and the stop loss on the losing side, all on the grid (D22, D25). */
export function tpslProblem(
  prices: PriceTable,
  order: Order,
  tpsl: TpslRequest,
): string | undefined {
  const { tpLimit, slTrigger, slLimit } = tpsl;
  const problem =
    priceProblem("tpLimit", prices.of(tpLimit)) ??
    priceProblem("slTrigger", prices.of(slTrigger)) ??
    (slLimit === undefined ? undefined : priceProblem("slLimit", prices.of(slLimit)));
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

function limitProblem(price: ExactPrice, quantity: Fixed): string | undefined {
  return priceProblem("the price", price) ?? sizeProblem(price, quantity);
}

function priceProblem(name: string, price: ExactPrice): string | undefined {
  if (price.isLegal) return undefined;
  const problem = price.rules.priceProblem(fixedText(price.fixed));
  return problem === undefined ? undefined : `${name} ${priceSentences[problem]}`;
}

function sizeProblem({ minSize, rules }: ExactPrice, quantity: Fixed): string | undefined {
  if (!rules.isWholeLots(quantity)) {
    return `the size is not a multiple of the lot ${fixedText(rules.lot)}`;
  }
  if (quantity >= minSize) return undefined;
  return `the size is below the minimum of ${fixedText(minSize)} at this price`;
}
