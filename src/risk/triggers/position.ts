import type { Trigger } from "../trigger.ts";

export const position: Trigger = {
  title: "position",
  unit: "quote",
  summary: "Value of the net position at the mid, long or short, earlier runs included.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: (measured) => measured.position,
};
