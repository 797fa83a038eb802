import { fixedText } from "../../domain/fixed.ts";
import { baseOf, notionalOf } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/** The token that the order gives away is there: quote for a buy, base for a sell (D19). */
export const balance = defineRule({
  name: "balance",
  check(proposal, context) {
    const { market, mid } = context;
    const isBuy = proposal.side === "BUY";
    const need = isBuy ? notionalOf(proposal, mid) : baseOf(proposal, mid);
    const free = context.free(isBuy ? market.quoteToken : market.baseToken);
    if (need !== undefined && free !== undefined && need <= free) return undefined;
    return {
      rule: "balance",
      limit: free === undefined ? "not known yet" : fixedText(free),
      actual: need === undefined ? "no mid to measure it" : fixedText(need),
    };
  },
});
