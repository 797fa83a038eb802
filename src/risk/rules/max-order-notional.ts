import { fixedOf } from "../../domain/decimal.ts";
import { fixedText } from "../../domain/fixed.ts";
import { amount } from "../../domain/setting.ts";
import { notionalOf } from "../exposure.ts";
import { defineRule } from "../rule.ts";

/** A single order's price × quantity. */
export const maxOrderNotional = defineRule({
  name: "max-order-notional",
  summary:
    "Largest price × quantity of a single order, quote token. Left out, `run` and `paper` derive it from the balances (docs/risk.md).",
  params: amount().transform(fixedOf),
  default: null,
  check(proposal, { mid }, limit) {
    const notional = notionalOf(proposal, mid);
    if (notional !== undefined && notional <= limit) return undefined;
    return {
      rule: "max-order-notional",
      limit: fixedText(limit),
      actual: notional === undefined ? "no mid to measure it" : fixedText(notional),
    };
  },
});
