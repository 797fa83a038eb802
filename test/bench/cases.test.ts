import { describe, expect, it } from "vitest";
import { allCases } from "../../bench/all-cases.ts";
import { goals } from "../../bench/goals.ts";
import { measure } from "../../bench/measure.ts";
import { reportOf, textOf } from "../../bench/report.ts";

const cases = await allCases();

/** A few operations of each case: enough to see that all sides still do the same, too few to say how fast. */
describe("benchmark cases", () => {
  it("cover every goal of the table, each title once", () => {
    expect(new Set(cases.map(({ goal }) => goal))).toEqual(new Set(Object.keys(goals)));
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
  });

  it.for(cases)("$goal: $title", { timeout: 180_000 }, async (benchCase) => {
    const run = await benchCase.prepare(0.02);
    try {
      const times = await measure(run, { rounds: 1, roundMs: 1, scale: 0.02 });
      const report = reportOf(benchCase, run, times);
      expect(report.difference).toBeUndefined();
      // The report names a peer that is not installed.
      expect(report.sides.length + report.missing.length).toBeGreaterThan(1);
      expect(report.sides.every(({ us }) => (us.mean ?? 0) > 0)).toBe(true);
      expect(textOf(report)).toContain("outputs equal");
    } finally {
      await run.close?.();
    }
  });
});
