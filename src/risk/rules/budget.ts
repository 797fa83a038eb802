import { fixedText } from "../../domain/fixed.ts";
import { baseOf, notionalOf } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/** The strategy's budget has the token that the order spends. */
export const budget = defineRule({
  name: "budget",
  check(proposal, { market, mid, budgetFree }) {
    const isBuy = proposal.side === "BUY";
    const free = budgetFree(isBuy ? market.quoteToken : market.baseToken);
    if (free === undefined) return undefined;
    const need = isBuy ? notionalOf(proposal, mid) : baseOf(proposal, mid);
    if (need !== undefined && need <= free) return undefined;
    return {
      rule: "budget",
      limit: fixedText(free),
      actual: need === undefined ? "no mid to measure it" : fixedText(need),
    };
  },
});
