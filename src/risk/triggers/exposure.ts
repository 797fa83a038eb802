import type { RiskTrigger } from "../trigger.ts";

export const exposure: RiskTrigger = {
  title: "worst-case exposure",
  unit: "quote",
  summary:
    "Value of the net position at the mid should every open order of the worse side be filled, in-flight and unknown orders included.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: (measured) => measured.exposure,
};
