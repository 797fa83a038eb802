import { fixed } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const unknownOrders: RiskTrigger = {
  title: "number of unknown orders",
  unit: "count",
  summary:
    "Own orders whose request got no readable response, so that nobody knows whether they are open.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: (measured) => fixed(String(measured.unknownOrders)),
};
