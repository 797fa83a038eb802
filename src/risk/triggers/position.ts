import type { RiskTrigger } from "../trigger.ts";

export const position: RiskTrigger = {
  title: "position",
  unit: "quote",
  summary: "Value of the net position at the mid, long or short, earlier runs included.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: (measured) => measured.position,
};
