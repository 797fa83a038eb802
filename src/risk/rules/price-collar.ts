import { percentText, share } from "../../domain/setting.ts";
import { defineRule } from "../rule.ts";

/** A limit price's distance to the mid, on either side of it. Without a mid nothing can be said, so nothing passes. */
export const priceCollar = defineRule({
  name: "price-collar",
  summary: "Farthest that an order's price may lie from the mid, as a share of the mid.",
  params: share({ max: 10 }),
  default: "5%",
  check(proposal, { mid }, limit) {
    if (mid === undefined) {
      return { rule: "price-collar", limit: percentText(limit), actual: "no mid to measure it" };
    }
    if (proposal.orderType === "MARKET") return undefined;
    const distance = Math.abs(proposal.price - mid) / mid;
    if (distance <= limit) return undefined;
    return { rule: "price-collar", limit: percentText(limit), actual: percentText(distance) };
  },
});
