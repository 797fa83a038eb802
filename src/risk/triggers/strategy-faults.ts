import { fixed } from "../../domain/fixed.ts";
import type { RiskTrigger } from "../trigger.ts";

export const strategyFaults: RiskTrigger = {
  title: "number of failed strategies",
  unit: "count",
  summary: "Strategies that threw or returned no valid decision in this run, which ended them.",
  scopes: ["bot"],
  extra: {},
  value: (measured) => fixed(String(measured.strategyFaults)),
};
