import { plainNumber } from "../../domain/fixed.ts";
import { defineRule } from "../rule.ts";

/**
 * A stop order is on its own side of the market. The venue decides by the last price which way it fires (D24), so a stop that the
 * market has passed would wait for the price to come back: a stop loss would become a take profit.
 */
export const stopSide = defineRule({
  name: "stop-side",
  check({ side, stop }, { lastTrade, mid }) {
    if (stop === undefined) return undefined;
    const { kind, stopPrice } = stop;
    const last = lastTrade ?? mid;
    const firesAbove = (side === "BUY") === (kind === "stop-loss");
    const isApart = last !== undefined && (firesAbove ? stopPrice >= last : stopPrice < last);
    if (isApart) return undefined;
    return {
      rule: "stop-side",
      limit:
        last === undefined
          ? "no price that says where the market is"
          : `${firesAbove ? "at or above" : "below"} the last price ${plainNumber(last)}`,
      actual: plainNumber(stopPrice),
    };
  },
});
