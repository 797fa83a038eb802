import { z } from "zod";
import { defineRule } from "../rule.ts";

/** Orders that exist or may exist, over all markets and strategies, including this one and its legs. */
export const maxOpenOrders = defineRule({
  name: "max-open-orders",
  summary:
    "Most orders of the bot at the same time, in-flight and unknown ones, stop orders and legs included. Left out: no more than a stop has time to cancel (docs/risk.md).",
  params: z.int({ error: "is not a whole number of orders" }).min(1, "must be 1 or more"),
  default: 50,
  check({ tpsl }, { orders }, limit) {
    let count = tpsl === undefined ? 1 : 3;
    for (const order of orders) if (order.phase !== "ended") count += 1;
    return count <= limit ? undefined : { rule: "max-open-orders", limit, actual: count };
  },
});
