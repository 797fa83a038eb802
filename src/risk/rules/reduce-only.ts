import { absFixed, addFixed, fixedText } from "../../domain/fixed.ts";
import { baseOf, liveQuantity, reducingSide } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/**
 * While the risk ladder says reduce only, a strategy's orders bring its position nearer to 0 and never beyond, even when all of them
 * are filled. Legs would open a position again, so a quote has none.
 */
export const reduceOnly = defineRule({
  name: "reduce-only",
  check(proposal, { reduceOnly: position, orders, mid }) {
    if (position === undefined) return undefined;
    const { strategy, marketId, side, tpsl } = proposal;
    const limit = `towards 0 from ${fixedText(position)}`;
    if (side !== reducingSide(position)) {
      return { rule: "reduce-only", limit, actual: `a ${side}` };
    }
    if (tpsl !== undefined) return { rule: "reduce-only", limit, actual: "legs" };
    const size = baseOf(proposal, mid);
    if (size === undefined) return { rule: "reduce-only", limit, actual: "no mid to measure it" };
    const own = orders.filter((order) => order.strategy === strategy);
    const worst = addFixed(liveQuantity(own, marketId, side), size);
    if (worst <= absFixed(position)) return undefined;
    return { rule: "reduce-only", limit, actual: `${side} of ${fixedText(worst)}` };
  },
});
