import { plainNumber } from "../../domain/fixed.ts";
import { opposite } from "../../domain/side.ts";
import { defineRule } from "../rule.ts";

/**
 * Never trades with ourselves (D17): no own order of any strategy that lives or may live, one being canceled too, stands at
 * or beyond the price on the other side.
 */
export const selfCross = defineRule({
  name: "self-cross",
  check(proposal, { orders }) {
    const { marketId, side, orderType, price } = proposal;
    const other = opposite(side);
    for (const order of orders) {
      if (order.marketId !== marketId || order.side !== other || order.phase === "ended") continue;
      const isApart = side === "BUY" ? price < order.price : price > order.price;
      // A market order on either side reaches everything.
      if (orderType === "LIMIT" && order.price > 0 && isApart) continue;
      return {
        rule: "self-cross",
        limit: `own ${other} at ${order.price > 0 ? plainNumber(order.price) : "market"}`,
        actual: orderType === "LIMIT" ? plainNumber(price) : "market",
      };
    }
    return undefined;
  },
});
