import { fixed } from "../../domain/fixed.ts";
import { MAX_REMEMBERED } from "../measured.ts";
import type { RiskTrigger } from "../trigger.ts";

export const rejects: RiskTrigger = {
  title: "number of rejects",
  unit: "count",
  max: MAX_REMEMBERED,
  summary:
    "Placements that the venue refused or rejected within `window`, each once. A refused modify does not count: its order may have been filled first.",
  scopes: ["bot", "strategy"],
  extra: { window: "1m" },
  value: (measured, { windowMs = 0 }) => fixed(String(measured.rejects(windowMs))),
};
