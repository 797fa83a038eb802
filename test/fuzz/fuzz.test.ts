import { describe, expect, test } from "vitest";
import { targets } from "./all-targets.ts";

/** A few thousand inputs at each run, others than the last time only with another seed; `npm run fuzz` has the million. */
const INPUTS = 800;

describe("malformed inputs crash nothing, are never accepted, and change no state", () => {
  test.each(targets.map((target) => [target.name, target] as const))("%s", async (_, target) => {
    const report = await target.run(INPUTS, 20_261_120);
    expect(report.failure).toBeUndefined();
    expect(report.inputs).toBe(INPUTS);
    // Inputs that are all wrong, or all right, would show nothing.
    expect(report.taken).toBeGreaterThan(INPUTS / 100);
    expect(report.refused).toBeGreaterThan(INPUTS / 10);
  });
});
