import { describe, expect, it } from "vitest";
import { allCases } from "../../bench/all-cases.ts";
import { goals } from "../../bench/goals.ts";
import { longGoals, tryCase } from "./try-case.ts";

const cases = await allCases();

describe("benchmark cases", () => {
  it("cover every goal of the table, each title once", () => {
    expect(new Set(cases.map(({ goal }) => goal))).toEqual(new Set(Object.keys(goals)));
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
    expect(Object.keys(goals)).toEqual(expect.arrayContaining([...longGoals]));
  });

  const short = cases.filter(({ goal }) => !longGoals.includes(goal));
  it.for(short)("$goal: $title", (benchCase) => tryCase(benchCase));
});
