import fc from "fast-check";
import { expect, test } from "vitest";
import { paretoFront } from "../../src/sweep/pareto.ts";

/**
 * By hand: b beats c (more objective, less drawdown); d has the most objective; e has d's objective with more drawdown; f has b's drawdown
 * with less objective; a has the least drawdown.
 */
test("runs that no other run beats are on the front", () => {
  const runs = [
    { name: "a", objective: 1, drawdown: 1 },
    { name: "b", objective: 5, drawdown: 2 },
    { name: "c", objective: 4, drawdown: 3 },
    { name: "d", objective: 9, drawdown: 7 },
    { name: "e", objective: 9, drawdown: 8 },
    { name: "f", objective: 3, drawdown: 2 },
  ];
  expect(paretoFront(runs).map(({ name }) => name)).toEqual(["a", "b", "d"]);
});

test("of equal runs the first is on the front", () => {
  const runs = [
    { name: "first", objective: 1, drawdown: 1 },
    { name: "second", objective: 1, drawdown: 1 },
  ];
  expect(paretoFront(runs)).toEqual([runs[0]]);
});

test("every run outside of the front is beaten or equalled by one on it, and none on it is beaten", () => {
  const run = fc.record({
    objective: fc.integer({ min: -5, max: 5 }),
    drawdown: fc.integer({ min: 0, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 20 }), (runs) => {
      const front = new Set(paretoFront(runs));
      for (const each of runs) {
        const covers = runs.some(
          (other) =>
            front.has(other) &&
            other.objective >= each.objective &&
            other.drawdown <= each.drawdown,
        );
        const beats = runs.some(
          (other) =>
            other.objective >= each.objective &&
            other.drawdown <= each.drawdown &&
            (other.objective > each.objective || other.drawdown < each.drawdown),
        );
        expect(covers).toBe(true);
        if (front.has(each)) expect(beats).toBe(false);
      }
    }),
  );
});
