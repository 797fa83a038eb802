import { addFixed, negFixed } from "../../domain/fixed.ts";
import { baseOf, liveQuantity } from "../exposure.ts";
import { defineRule } from "../rule.ts";
import { beyondSize, sizeLimit } from "../size-limit.ts";

/**
 * The position if all orders on the order's side filled: the position, all live orders of that side and this one. The other side
 * does not count, so a position beyond the limit can always be reduced.
 */
export const maxPosition = defineRule({
  name: "max-position",
  summary:
    "Largest net position in a market, long or short, earlier runs included, should every order of a side fill; base token, or `{ quote: … }` for its worth at the mid. Left out, `run` and `paper` derive it from the balances (docs/risk.md).",
  params: sizeLimit({ zero: true }),
  default: null,
  check(proposal, { mid, position, orders }, limit) {
    const size = baseOf(proposal, mid);
    const { marketId, side } = proposal;
    const held = side === "BUY" ? position : negFixed(position);
    const worst = size && addFixed(addFixed(held, liveQuantity(orders, marketId, side)), size);
    return beyondSize("max-position", limit, worst, mid);
  },
});
