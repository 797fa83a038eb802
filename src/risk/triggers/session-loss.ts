import { maxFixed, negFixed, ZERO } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const sessionLoss: RiskTrigger = {
  title: "session loss",
  unit: "quote",
  summary: "Loss after fees since the bot started, or since `resume --force`.",
  scopes: ["bot", "strategy"],
  extra: {},
  value: ({ sessionPnl }) =>
    sessionPnl === undefined ? undefined : maxFixed(ZERO, negFixed(sessionPnl)),
};
