import { percentText, share } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/**
 * A limit price's distance to the mid, on either side of it. Without a mid nothing can be said, so nothing passes. What waits for a
 * price may lie anywhere; its limit is measured from there.
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
    if (distance <= limit) return undefined;
    return { rule: "price-collar", limit: percentText(limit), actual: percentText(distance) };
  },
});
