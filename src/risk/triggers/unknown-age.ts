import { fixedFromNumber } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const unknownAge: RiskTrigger = {
  title: "age of the oldest unknown order",
  unit: "duration",
  summary: "For how long the outcome of an own order has been unknown.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: ({ unknownMs }) => fixedFromNumber(unknownMs),
};
