import { fixedText, ZERO } from "../../domain/fixed.ts";
import { baseOf, legsShortfall, notionalOf } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/**
 * The account has the token that the order spends: quote for a buy, base for a sell (D19); for a stop market buy its value at the
 * stop price (D24). It also has what the legs of a sale need beyond the proceeds (D25).
 */
export const balance = defineRule({
  name: "balance",
  check(proposal, context) {
    const { market, mid } = context;
    const isBuy = proposal.side === "BUY";
    const need = isBuy ? notionalOf(proposal, mid) : baseOf(proposal, mid);
    const free = context.free(isBuy ? market.quoteToken : market.baseToken);
    if (need !== undefined && free !== undefined && need <= free) {
      const shortfall = legsShortfall(proposal, market.takerFee);
      const quote = shortfall === ZERO ? ZERO : context.free(market.quoteToken);
      if (quote !== undefined && shortfall <= quote) return undefined;
      return {
        rule: "balance",
        limit: quote === undefined ? "not known yet" : fixedText(quote),
        actual: `${fixedText(shortfall)} for its stop loss`,
      };
    }
    return {
      rule: "balance",
      limit: free === undefined ? "not known yet" : fixedText(free),
      actual: need === undefined ? "no mid to measure it" : fixedText(need),
    };
  },
});
