import { addFixed, negFixed } from "../../domain/fixed.ts";
import { tokensOf } from "../../domain/ids.ts";
import { baseOf, liveBase } from "../exposure.ts";
import { defineRule } from "../rule.ts";
import { beyondSize, sizeLimit } from "../size-limit.ts";

/** As `maxPosition`, over all markets with the order's base token: what is held in one of them may be hedged in another. */
export const maxNet = defineRule({
  name: "max-net",
  summary:
    "Largest net position over all markets with the same base token, long or short, earlier runs included, should every order of a side fill in all of them; base token, or `{ quote: … }` for its worth at the mid of the order's market.",
  params: sizeLimit({ zero: true }),
  default: null,
  check(proposal, { mid, net, orders }, limit) {
    const size = baseOf(proposal, mid);
    const { marketId, side } = proposal;
    const { base } = tokensOf(marketId);
    const held = side === "BUY" ? net() : negFixed(net());
    const worst = size && addFixed(addFixed(held, liveBase(orders, base, side)), size);
    return beyondSize("max-net", limit, worst, mid);
  },
});
