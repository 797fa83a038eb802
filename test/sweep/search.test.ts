import { describe, expect, test } from "vitest";
import type { ParameterValues } from "../../src/config/sweep-config.ts";
import { ParameterSpace, type Point, pointKey } from "../../src/sweep/parameter-space.ts";
import type { ScoredPoint } from "../../src/sweep/search.ts";
import { searchOf } from "../../src/sweep/search-of.ts";

const list = (...values: readonly unknown[]): { values: ParameterValues } => ({
  values: { kind: "list", values },
});
const range = (
  from: number,
  to: number,
  steps?: number,
  more: { readonly scale?: "linear" | "log"; readonly unit?: string } = {},
): { values: ParameterValues } => ({
  values: { kind: "range", from, to, steps, unit: more.unit ?? "", scale: more.scale ?? "linear" },
});

type Settings = Parameters<typeof searchOf>[1];
const settings = (more: Partial<Settings>): Settings => ({
  search: "grid",
  runs: undefined,
  seed: 1,
  batch: 4,
  ...more,
});

/** Runs a search to its end; `score` judges the values of each proposal. */
function explore(
  space: ParameterSpace,
  more: Partial<Settings>,
  score: (values: readonly unknown[]) => number | undefined,
): readonly (ScoredPoint & { readonly values: readonly unknown[] })[] {
  const search = searchOf(space, settings(more), "test");
  const scored: (ScoredPoint & { readonly values: readonly unknown[] })[] = [];
  for (;;) {
    const points: readonly Point[] = search.next(scored);
    if (points.length === 0) return scored;
    for (const point of points) {
      const values = space.valuesAt(point);
      scored.push({ point, values, score: score(values) });
    }
  }
}

describe("values", () => {
  test("a range has equal distances, a log range equal ratios, each with its unit", () => {
    const space = new ParameterSpace([
      range(0.01, 0.05, 3, { unit: "%" }),
      range(1, 100, 3, { scale: "log", unit: "ms" }),
      range(1, 3, 3),
    ]);
    const values = [0, 1, 2].map((index) => space.valuesAt([index, index, index]));
    expect(values).toEqual([
      ["0.01%", "1ms", 1],
      ["0.03%", "10ms", 2],
      ["0.05%", "100ms", 3],
    ]);
  });

  test("a continuous value has six digits, so that it can be read", () => {
    const space = new ParameterSpace([range(0, 1, undefined, { unit: "%" })]);
    expect(space.valuesAt([1 / 3])).toEqual(["0.333333%"]);
    expect(space.size).toBe(Infinity);
  });
});

test("a grid has every combination once, the last parameter varying fastest", () => {
  const space = new ParameterSpace([list("a", "b"), range(1, 3, 3)]);
  expect(explore(space, {}, () => 0).map(({ values }) => values.join(""))).toEqual([
    "a1",
    "a2",
    "a3",
    "b1",
    "b2",
    "b3",
  ]);
});

test("random search draws different combinations, the same for the same seed", () => {
  const space = new ParameterSpace([range(1, 10, 10), list("a", "b", "c")]);
  const keys = (seed: number) =>
    explore(space, { search: "random", runs: 20, seed }, () => 0).map(({ point }) =>
      pointKey(point),
    );
  expect(new Set(keys(1)).size).toBe(20);
  expect(keys(1)).toEqual(keys(1));
  expect(keys(1)).not.toEqual(keys(2));
});

test.each(["random", "bayesian"] as const)(
  "%s search ends when nothing is left to try",
  (search) => {
    const space = new ParameterSpace([range(1, 3, 3), list("a", "b", "c", "d")]);
    const points = explore(space, { search, runs: 100 }, () => 0);
    expect(new Set(points.map(({ point }) => pointKey(point))).size).toBe(12);
    expect(points).toHaveLength(12);
  },
);

describe("bayesian search", () => {
  /** A hill at x = 0.3, y = 0.7, of which only "good" counts in full. */
  const hill = ([x, y, kind]: readonly unknown[]): number =>
    -((Number(x) - 0.3) ** 2) - (Number(y) - 0.7) ** 2 - (kind === "good" ? 0 : 0.5);
  const space = new ParameterSpace([range(0, 1), range(0, 1, 101), list("bad", "worse", "good")]);
  const bestOf = (search: "random" | "bayesian", seed: number): number =>
    Math.max(...explore(space, { search, runs: 60, seed }, hill).map(({ score }) => score ?? 0));

  test("finds more of the objective than random search, over twenty seeds", () => {
    const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
    const wins = seeds.filter((seed) => bestOf("bayesian", seed) > bestOf("random", seed));
    const mean = (search: "random" | "bayesian") =>
      seeds.reduce((sum, seed) => sum + bestOf(search, seed), 0) / seeds.length;
    expect(wins.length).toBeGreaterThanOrEqual(14);
    expect(mean("bayesian")).toBeGreaterThan(mean("random"));
  });

  test("proposes batches of one size, the same for the same seed and scores", () => {
    const points = () =>
      explore(space, { search: "bayesian", runs: 31, seed: 5 }, hill).map(({ point }) => point);
    expect(points()).toHaveLength(31);
    expect(points()).toEqual(points());
  });

  test("goes on when no run has a score", () => {
    const points = explore(space, { search: "bayesian", runs: 30 }, () => undefined);
    expect(points).toHaveLength(30);
  });
});
