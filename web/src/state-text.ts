import { states } from "../../src/dashboard/strategy-state.ts";
import type { Shown } from "./live.ts";

/** Health has a shape and a word beside its colour, and no colour of a side. */
export type Health = "good" | "warn" | "bad";

export const healthSigns = { good: "●", warn: "▲", bad: "■" } as const;

export const modeTexts: Readonly<Record<Shown["mode"], readonly [string, string]>> = {
  live: ["LIVE", "orders go to the venue, with real money unless the venue is a paper one"],
  paper: ["PAPER", "fills are simulated, no order goes to a venue"],
  dryRun: ["DRY RUN", "nothing is sent"],
  demo: ["DEMO", "a paper venue on this machine, play money"],
};

export function healthOf({ problems, rows }: Shown): Health {
  if (problems.some(({ level }) => level === "bad")) return "bad";
  const isCalm = Object.values(rows).every(({ state }) => states[state][0] === "good");
  return problems.length === 0 && isCalm ? "good" : "warn";
}
