import { fixedOf } from "../../domain/decimal.ts";
import { addFixed, fixedText, negFixed } from "../../domain/fixed.ts";
import { amount } from "../../domain/setting.ts";
import { baseOf, liveQuantity } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/**
 * The position if all orders on the order's side filled: the position, all live orders of that side and this one. The other side
 * does not count, so a position beyond the limit can always be reduced.
 */
export const maxPosition = defineRule({
  name: "max-position",
  summary:
    "Largest net position in a market, long or short, earlier runs included, should every order of a side fill; base token. Left out, `run` and `paper` derive it from the balances (docs/risk.md).",
  params: amount({ zero: true }).transform(fixedOf),
  default: null,
  check(proposal, { mid, position, orders }, limit) {
    const size = baseOf(proposal, mid);
    if (size === undefined) {
      return { rule: "max-position", limit: fixedText(limit), actual: "no mid to measure it" };
    }
    const { marketId, side } = proposal;
    const held = side === "BUY" ? position : negFixed(position);
    const worst = addFixed(addFixed(held, liveQuantity(orders, marketId, side)), size);
    if (worst <= limit) return undefined;
    return { rule: "max-position", limit: fixedText(limit), actual: fixedText(worst) };
  },
});
