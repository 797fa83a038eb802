import { describe, expect, it } from "vitest";
import { shrink } from "../../src/sim/shrink.ts";
import {
  addTotals,
  missedFaults,
  noTotals,
  readTotals,
  totalsLine,
  totalsOf,
} from "../../src/sim/totals.ts";
import { repeatCommand, type WorldOptions, type WorldReport } from "../../src/sim/world.ts";

const world: WorldOptions = {
  seed: 7,
  faultsMs: 60_000,
  faults: undefined,
  besides: [],
  neverModify: false,
  contingent: false,
  taking: false,
  twice: false,
  log: false,
};
const report = (more: Partial<WorldReport>): WorldReport => ({
  seed: 7,
  violations: [],
  reached: [],
  longestMs: [],
  faults: [],
  episodes: [],
  virtualMs: 1,
  ...more,
});

describe("a failing world", () => {
  it("is shrunk to the faults and the time that the same violation needs", async () => {
    const faults = ["kill", "slow", "refused", "frozen"];
    const failed = report({ faults, violations: ["1.000 s: exposure: too much"] });
    let runs = 0;
    const { options } = await shrink(world, failed, async ({ faults: left = [], faultsMs }) => {
      runs += 1;
      const isBroken = left.includes("kill") && left.includes("frozen") && faultsMs >= 20_000;
      // Another violation is another bug.
      const violations = isBroken ? ["2.000 s: exposure: x"] : ["3.000 s: alive: y"];
      return report({ faults: left, violations });
    });
    expect(options).toMatchObject({ faults: ["kill", "frozen"], faultsMs: 30_000 });
    expect(runs).toBeLessThan(10);
    expect(repeatCommand(options)).toBe(
      "npm run sim -- --from 7 --seeds 1 --faults kill,frozen --fault-seconds 30",
    );
  });
});

describe("totals", () => {
  it("of several runs add up from their output", () => {
    const good = totalsOf(report({ reached: [["fill", 2]], longestMs: [["restart", 5]] }));
    const bad = totalsOf(
      report({ violations: ["x"], reached: [["fill", 1]], longestMs: [["restart", 9]] }),
    );
    const output = `noise\n${totalsLine(good)}\nseed 1\n${totalsLine(bad)}\n`;
    expect(readTotals(output)).toEqual(addTotals(good, bad));
    expect(readTotals(output)).toMatchObject({
      worlds: 2,
      failed: 1,
      reached: { fill: 3 },
      longestMs: { restart: 9 },
    });
    expect(readTotals("")).toEqual(noTotals);
  });

  it("name the faults that never occurred", () => {
    expect(missedFaults({ "fault kill": 1 }, ["kill", "slow"])).toEqual(["slow"]);
  });
});
