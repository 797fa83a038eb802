import type UPlot from "uplot";
import { expect, it } from "vitest";
import { valueAxis } from "../../web/src/value-axis.ts";

/** The labels of `ticks` that are `step` apart. */
function labels(size: number, ticks: readonly number[], step: number): readonly unknown[] {
  const { values } = valueAxis({ muted: "", line: "" }, size);
  if (typeof values !== "function") throw new Error("the axis has no function for its labels");
  return values({} as UPlot, [...ticks], 1, 50, step);
}

it("labels prices a quarter of a power of ten apart with the prices of their lines", () => {
  const ticks = [100.15, 100.175, 100.2, 100.225];
  expect(labels(68, ticks, 0.025)).toEqual(["100.150", "100.175", "100.200", "100.225"]);
  const zil = [0.2144, 0.214425, 0.21445];
  expect(labels(68, zil, 0.000025)).toEqual(["0.214400", "0.214425", "0.214450"]);
});

it("labels large amounts that differ little with different texts", () => {
  expect(labels(56, [96_600, 96_620, 96_640], 20)).toEqual(["96600", "96620", "96640"]);
  expect(labels(56, [-0.25, 0, 0.25], 0.25)).toEqual(["-0.25", "0.00", "0.25"]);
});

it("labels zero without a unit", () => {
  expect(labels(56, [-1000, 0, 1000], 1000)).toEqual(["-1k", "0", "1k"]);
});
