import { percentText, share } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/**
 * Distance of a limit price from the mid, on either side. Without a mid nothing passes. A mid that is itself farther from the last trade is
 * not used (`BOOK_IMPOSSIBLE`). The stop price of a stop order may be anywhere; its limit price is measured from the stop price.
 */
export const priceCollar = defineRule({
  name: "price-collar",
  summary: "Farthest that an order's price may lie from the mid, as a share of the mid.",
  params: share({ max: 10 }),
  default: "5%",
  check(proposal, { mid: midNow }, limit) {
    const { tpsl } = proposal;
    const mid = proposal.stop?.stopPrice ?? midNow;
    if (mid === undefined) {
      return { rule: "price-collar", limit: percentText(limit), actual: "no mid to measure it" };
    }
    if (proposal.orderType === "MARKET") return undefined;
    const ofLeg =
      tpsl?.slLimit === undefined ? 0 : Math.abs(tpsl.slLimit - tpsl.slTrigger) / tpsl.slTrigger;
    const distance = Math.max(Math.abs(proposal.price - mid) / mid, ofLeg);
    if (distance > limit) {
      return { rule: "price-collar", limit: percentText(limit), actual: percentText(distance) };
    }
    return undefined;
  },
});
