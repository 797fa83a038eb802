import { describe, expect, it } from "vitest";
import type { BenchCase, BenchRun } from "../../bench/bench-case.ts";
import { measure } from "../../bench/measure.ts";
import { percentile } from "../../bench/percentile.ts";
import { reportOf, textOf } from "../../bench/report.ts";

const benchCase: BenchCase = {
  goal: "G3",
  title: "a case",
  unit: "us",
  prepare: () => Promise.reject(new Error("not prepared here")),
};
const sides = [
  { name: "touchline", run: () => undefined },
  { name: "ethers Wallet", run: () => undefined },
];
const same: BenchRun = { sides, check: () => undefined };

describe("report", () => {
  it("takes the median of the ratios of each round, not the ratio of the medians", () => {
    const report = reportOf(benchCase, same, [
      { name: "touchline", mean: [1, 2, 10] },
      { name: "ethers Wallet", mean: [12, 22, 30] },
    ]);
    expect(report.sides[1]?.ratio.mean).toBe(11);
    expect(report.verdicts).toMatchObject([{ measured: 11, met: "must", must: 10, stretch: 13 }]);
  });

  it.for([
    [9.9, "missed"],
    [10, "must"],
    [13, "stretch"],
  ] as const)("calls %f times %s", ([ratio, met]) => {
    const report = reportOf(benchCase, same, [
      { name: "touchline", mean: [1] },
      { name: "ethers Wallet", mean: [ratio] },
    ]);
    expect(report.verdicts[0]?.met).toBe(met);
  });

  it("reports the difference", () => {
    const run = { sides, check: () => "order 7 is another one" };
    const report = reportOf(benchCase, run, [{ name: "touchline", mean: [1] }]);
    expect(report).toMatchObject({ equal: false, difference: "order 7 is another one" });
    expect(textOf(report)).toContain("OUTPUTS DIFFER: order 7 is another one");
  });

  it("gives no verdict without a peer, and names the missing one", () => {
    const run = { ...same, missing: ["ethers is not installed"] };
    const report = reportOf(benchCase, run, [{ name: "touchline", mean: [1] }]);
    expect(report.verdicts).toEqual([]);
    expect(textOf(report)).toContain("ethers is not installed");
  });

  it("gives no verdict on data without a goal", () => {
    const report = reportOf(benchCase, { ...same, notJudged: "another market" }, [
      { name: "touchline", mean: [1] },
      { name: "ethers Wallet", mean: [20] },
    ]);
    expect(report.verdicts).toEqual([]);
    expect(textOf(report)).toContain("goals not judged: another market");
  });
});

describe("measure", () => {
  it("alternates which side begins", async () => {
    const begun: string[] = [];
    const sampled = (name: string) => ({
      name,
      samplesPerRound: 10,
      samplesToWarm: 10,
      sample: (samples: Float64Array) => {
        begun.push(name);
        samples.fill(1);
      },
    });
    const run = { sides: [sampled("a"), sampled("b")], check: () => undefined };
    const times = await measure(run, { rounds: 3, roundMs: 1, scale: 1 });
    expect(begun).toEqual(["a", "b", "a", "b", "b", "a", "a", "b"]);
    expect(times[0]).toEqual({ name: "a", mean: [1, 1, 1], p50: [1, 1, 1], p99: [1, 1, 1] });
  });

  it("counts time per operation of a loop", async () => {
    let done = 0;
    const loop = {
      name: "a",
      run: async (iterations: number) => {
        await Promise.resolve();
        done += iterations;
      },
    };
    const [times] = await measure(
      { sides: [loop], check: () => undefined },
      { rounds: 2, roundMs: 1, scale: 1 },
    );
    expect(times?.mean).toHaveLength(2);
    expect(done).toBeGreaterThan(100);
  });
});

describe("percentile", () => {
  it("is the nearest rank", () => {
    const values = Float64Array.from({ length: 200 }, (_, at) => 200 - at);
    expect(percentile(values, 0.5)).toBe(100);
    expect(percentile(values, 0.99)).toBe(198);
    expect(percentile(values, 1)).toBe(200);
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});
