import { expect } from "vitest";
import type { BenchCase } from "../../bench/bench-case.ts";
import { measure } from "../../bench/measure.ts";
import { reportOf, textOf } from "../../bench/report.ts";

/** Goals whose cases start processes, play whole recordings or vary G1: `npm run test:soak -- bench` tries them. */
export const longGoals: readonly string[] = ["G1b", "G1c", "G1d", "G8", "G10", "G11"];

/** A few operations of a case: enough to see that all sides still do the same, too few to say how fast. */
export async function tryCase(benchCase: BenchCase): Promise<void> {
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
}
