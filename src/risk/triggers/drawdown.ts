import type { RiskTrigger } from "../trigger.ts";

export const drawdown: RiskTrigger = {
  title: "drawdown",
  unit: "quote",
  summary:
    "Fall of total PnL after fees below its highest since the trigger was set, restarts included.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: (measured) => measured.drawdown,
};
