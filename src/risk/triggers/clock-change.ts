import { fixedFromNumber } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const clockChange: RiskTrigger = {
  title: "change of the venue's clock against ours",
  unit: "duration",
  summary: "How far the venue's clock moved against this machine's within `window`.",
  scopes: ["bot"],
  extra: { window: "10m" },
  value: (measured, { windowMs = 0 }) => fixedFromNumber(measured.clockChangeMs(windowMs)),
};
