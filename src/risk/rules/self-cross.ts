import { plainNumber } from "../../domain/fixed.ts";
import { opposite, type Side } from "../../domain/side.ts";
import { defineRule } from "../rule.ts";

/**
 * Never trade with ourselves (D17): no own order of any strategy that exists, including one being canceled, is at or beyond the price on
 * the other side. An order in doubt is being canceled and blocks nothing. A take profit that waits for its quote counts at its price, since the venue would cancel it
 * on its way into the book, and its stop loss with it. A stop that has not fired does not count: nobody knows when it fires, and
 * an own quote in its way then ends it.
 */
export const selfCross = defineRule({
  name: "self-cross",
  check(proposal, { orders }) {
    const { marketId, side, orderType, price, stop, tpsl } = proposal;
    if (stop !== undefined) return undefined;
    for (const order of orders) {
      if (order.marketId !== marketId || order.phase === "ended") continue;
      if (order.phase === "unknown") continue;
      if (order.trigger?.isFired === false) continue;
      // A market order on either side reaches everything.
      const isSafe =
        order.side === side
          ? tpsl === undefined || isApart(opposite(side), tpsl.tpLimit, order.price)
          : orderType === "LIMIT" && order.price > 0 && isApart(side, price, order.price);
      if (isSafe) continue;
      return {
        rule: "self-cross",
        limit: `own ${order.side} at ${order.price > 0 ? plainNumber(order.price) : "market"}`,
        actual: orderType === "LIMIT" ? plainNumber(price) : "market",
      };
    }
    return undefined;
  },
});

function isApart(side: Side, price: number, other: number): boolean {
  return side === "BUY" ? price < other : price > other;
}
