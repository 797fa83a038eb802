import { fixedFromNumber } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const staleData: RiskTrigger = {
  title: "age of market data",
  unit: "duration",
  summary:
    "For how long the venue has been silent, the book has been out of sync, or the depth channel has been behind.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: ({ staleMs }) => fixedFromNumber(staleMs),
};
