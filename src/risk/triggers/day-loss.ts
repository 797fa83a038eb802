import { maxFixed, negFixed, ZERO } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const dayLoss: RiskTrigger = {
  title: "day loss",
  unit: "quote",
  summary: "Loss after fees since 00:00 UTC by the venue's clock, restarts included.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: ({ dayPnl }) => (dayPnl === undefined ? undefined : maxFixed(ZERO, negFixed(dayPnl))),
};
