import { fixedFromNumber } from "../../domain/fixed.ts";
import type { Trigger } from "../trigger.ts";

export const staleData: Trigger = {
  title: "age of market data",
  unit: "duration",
  summary:
    "For how long the venue has been silent, the book has been out of sync, or the depth channel has been behind.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: ({ staleMs }) => fixedFromNumber(staleMs),
};
