import { fixedOf } from "../../domain/decimal.ts";
import { fixedText } from "../../domain/fixed.ts";
import { amount } from "../../domain/setting.ts";
import { baseOf } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/** A single order's quantity. */
export const maxOrderSize = defineRule({
  name: "max-order-size",
  summary: "Largest quantity of a single order, base token.",
  params: amount().transform(fixedOf),
  default: null,
  check(proposal, { mid }, limit) {
    const size = baseOf(proposal, mid);
    if (size !== undefined && size <= limit) return undefined;
    return {
      rule: "max-order-size",
      limit: fixedText(limit),
      actual: size === undefined ? "no mid to measure it" : fixedText(size),
    };
  },
});
