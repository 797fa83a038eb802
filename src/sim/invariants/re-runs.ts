import type { Invariant } from "../invariant.ts";

/** Re-running the journal reproduces every decision, every unsigned byte and every signature. */
export const reRuns: Invariant = {
  name: "re-runs",
  isOfBot: true,
  watch: ({ verify }) => ({ ended: () => verify() }),
};
