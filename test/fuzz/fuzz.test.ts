import { describe, expect, test } from "vitest";
import { targets } from "./all-targets.ts";

/** A few thousand inputs, the same in each run; `npm run fuzz` runs a million. */
const INPUTS = 800;

describe("malformed inputs cause no crash, are never accepted, and change no state", () => {
  test.each(targets.map((target) => [target.name, target] as const))("%s", async (_, target) => {
    // The inputs of the lightest targets are long lists.
    const inputs = target.weight <= 2 ? INPUTS / 20 : INPUTS;
    const report = await target.run(inputs, 20_261_120);
    expect(report.failure).toBeUndefined();
    expect(report.inputs).toBe(inputs);
    // A target must get both valid and invalid inputs to show anything.
    expect(report.taken).toBeGreaterThan(inputs / 100);
    expect(report.refused).toBeGreaterThan(inputs / 10);
  });
});
