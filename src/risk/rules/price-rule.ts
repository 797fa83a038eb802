import { fixedText, plainNumber } from "../../domain/fixed.ts";
import { isLegalPrice, minSizeAt } from "../../domain/price.ts";
import type { Proposal } from "../context.ts";
import type { DenyReason } from "../reason.ts";
import { defineRule } from "../rule.ts";

/** What the venue would reject (§4.5, D22): a limit price off the grid, a size below the tier's minimum. */
export const priceRule = defineRule({
  name: "price-rule",
  check(proposal, { mid }) {
    const { orderType, orderMode, price, quantity, stop } = proposal;
    const isLimit = orderType === "LIMIT";
    const illegal = illegalPrice(proposal);
    if (illegal !== undefined) return no("a price on the grid", plainNumber(illegal));
    if (!isLimit && price !== 0) return no("price 0 of a market order", plainNumber(price));
    if (isLimit && orderMode === 1) return no("a quantity in base token", "quote mode");
    const legs = legsProblem(proposal);
    if (legs !== undefined) return legs;
    // D21, D24: a market order goes by the tier of the opposite touch, which the mid stands for, or of its stop price.
    const tierPrice = isLimit ? price : (stop?.stopPrice ?? mid);
    const least = orderMode === 0 && tierPrice !== undefined ? minSizeAt(tierPrice) : 1n;
    if (quantity >= least) return undefined;
    return no(
      least === 1n ? "above 0" : `at least ${fixedText(minSizeAt(tierPrice ?? price))}`,
      fixedText(quantity),
    );
  },
});

function no(limit: string, actual: string): DenyReason {
  return { rule: "price-rule", limit, actual };
}

/** The first of its prices that the venue would not take. */
function illegalPrice({ orderType, price, stop, tpsl }: Proposal): number | undefined {
  if (orderType === "LIMIT" && !isLegalPrice(price)) return price;
  if (stop !== undefined && !isLegalPrice(stop.stopPrice)) return stop.stopPrice;
  if (tpsl === undefined) return undefined;
  const { tpLimit, slTrigger, slLimit } = tpsl;
  if (!isLegalPrice(tpLimit)) return tpLimit;
  if (!isLegalPrice(slTrigger)) return slTrigger;
  return slLimit === undefined || isLegalPrice(slLimit) ? undefined : slLimit;
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
