import { fixedText, plainNumber } from "../../domain/fixed.ts";
import { isLegalPrice, minSizeAt } from "../../domain/price.ts";
import { defineRule } from "../rule.ts";

/** What the venue would reject (§4.5, D22): a limit price off the grid, a size below the tier's minimum. */
export const priceRule = defineRule({
  name: "price-rule",
  check(proposal, { mid }) {
    const { orderType, orderMode, price, quantity } = proposal;
    const isLimit = orderType === "LIMIT";
    if (isLimit && !isLegalPrice(price)) {
      return { rule: "price-rule", limit: "a price on the grid", actual: plainNumber(price) };
    }
    if (!isLimit && price !== 0) {
      return { rule: "price-rule", limit: "price 0 of a market order", actual: plainNumber(price) };
    }
    if (isLimit && orderMode === 1) {
      return { rule: "price-rule", limit: "a quantity in base token", actual: "quote mode" };
    }
    // D21: a market order goes by the tier of the opposite touch, which the mid stands for; quote mode has no minimum.
    const tierPrice = isLimit ? price : mid;
    const least = orderMode === 0 && tierPrice !== undefined ? minSizeAt(tierPrice) : 1n;
    if (quantity >= least) return undefined;
    return {
      rule: "price-rule",
      limit: least === 1n ? "above 0" : `at least ${fixedText(minSizeAt(tierPrice ?? price))}`,
      actual: fixedText(quantity),
    };
  },
});
