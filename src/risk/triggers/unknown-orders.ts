import { fixed } from "../../domain/fixed.ts";
import type { Trigger } from "../trigger.ts";

export const unknownOrders: Trigger = {
  title: "number of unknown orders",
  unit: "count",
  summary:
    "Own orders whose request got no readable response, so that nobody knows whether they are open.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: (measured) => fixed(String(measured.unknownOrders)),
};
