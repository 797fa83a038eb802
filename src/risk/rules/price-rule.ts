import { fixedText, plainNumber } from "../../domain/fixed.ts";
import type { MarketRules } from "../../domain/market-rules.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { Proposal } from "../context.ts";
import type { DenyReason } from "../reason.ts";
import { defineRule } from "../rule.ts";

/** What the market's rules do not admit: an illegal price, a size below the minimum or that is not whole lots (§4.5, D22). */
export const priceRule = defineRule({
  name: "price-rule",
  check(proposal, { market, mid }) {
    const rules = rulesOf(market);
    const { orderType, orderMode, price, quantity, stop } = proposal;
    const isLimit = orderType === "LIMIT";
    const illegal = illegalPrice(proposal, rules);
    if (illegal !== undefined) return no("a price on the grid", plainNumber(illegal));
    if (!isLimit && price !== 0) return no("price 0 of a market order", plainNumber(price));
    if (isLimit && orderMode === 1) return no("a quantity in base token", "quote mode");
    const legs = legsProblem(proposal);
    if (legs !== undefined) return legs;
    if (orderMode === 0 && !rules.isWholeLots(quantity)) {
      return no(`a multiple of the lot ${fixedText(rules.lot)}`, fixedText(quantity));
    }
    // D21, D24: a market order goes by the opposite touch, which the mid stands for, or by its stop price.
    const sizedAt = isLimit ? price : (stop?.stopPrice ?? mid);
    const least = orderMode === 0 && sizedAt !== undefined ? rules.minSizeAt(sizedAt) : undefined;
    if (quantity >= (least ?? 1n)) return undefined;
    return no(
      least === undefined ? "above 0" : `at least ${fixedText(least)}`,
      fixedText(quantity),
    );
  },
});

function no(limit: string, actual: string): DenyReason {
  return { rule: "price-rule", limit, actual };
}

/** The first of the proposal's prices that the market does not admit. */
function illegalPrice(
  { orderType, price, stop, tpsl }: Proposal,
  { isLegal }: MarketRules,
): number | undefined {
  if (orderType === "LIMIT" && !isLegal(price)) return price;
  if (stop !== undefined && !isLegal(stop.stopPrice)) return stop.stopPrice;
  if (tpsl === undefined) return undefined;
  const { tpLimit, slTrigger, slLimit } = tpsl;
  if (!isLegal(tpLimit)) return tpLimit;
  if (!isLegal(slTrigger)) return slTrigger;
  return slLimit === undefined || isLegal(slLimit) ? undefined : slLimit;
}

/** D25: take profit on the winning side of the price, stop loss on the losing one. */
function legsProblem({ side, price, tpsl }: Proposal): DenyReason | undefined {
  if (tpsl === undefined) return undefined;
  const { tpLimit, slTrigger } = tpsl;
  const isBid = side === "BUY";
  if (isBid ? tpLimit > price && price > slTrigger : tpLimit < price && price < slTrigger) {
    return undefined;
  }
  const order = isBid ? "stopLoss < price < takeProfit" : "takeProfit < price < stopLoss";
  return no(order, [slTrigger, price, tpLimit].map(plainNumber).join(", "));
}
