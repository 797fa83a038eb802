import { describe, expect, test } from "vitest";
import { targets } from "./all-targets.ts";

/** A few thousand inputs, the same in each run; `npm run fuzz` runs a million. */
const INPUTS = 800;

describe("malformed inputs cause no crash, are never accepted, and change no state", () => {
  test.each(targets.map((target) => [target.name, target] as const))("%s", async (_, target) => {
    const report = await target.run(INPUTS, 20_261_120);
    expect(report.failure).toBeUndefined();
    expect(report.inputs).toBe(INPUTS);
    // A target must get both valid and invalid inputs to show anything.
    expect(report.taken).toBeGreaterThan(INPUTS / 100);
    expect(report.refused).toBeGreaterThan(INPUTS / 10);
  });
});
