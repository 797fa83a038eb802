import type { Invariant } from "../invariant.ts";

/** 9. What the journal holds runs again: every decision, every unsigned byte, every signature. */
export const reRuns: Invariant = {
  name: "re-runs",
  watch: ({ verify }) => ({ ended: () => verify() }),
};
