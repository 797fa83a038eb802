import { expect, test } from "vitest";
import { atLeastAsGood, fillScore, type ScoredFill } from "../../src/parity/fill-score.ts";
import { matchFills, matchOrders } from "../../src/parity/match.ts";

const at = (timeMs: number, quantity: number, key = "BUY 100"): ScoredFill => ({
  key,
  timeMs,
  quantity,
  weight: quantity,
});

const times = { fromMs: 0, toMs: 60_000, windowMs: 500 };

test("a fill is matched with the parts of another in the window, at the same price alone", () => {
  const live = [at(1_000, 3), at(9_000, 1, "SELL 101")];
  const replayed = [at(700, 1), at(1_400, 1), at(1_501, 5), at(9_000, 1, "SELL 102")];
  const matches = matchFills(live, replayed, 500);
  expect(matches.map(({ replayed: { timeMs }, quantity }) => [timeMs, quantity])).toEqual([
    [700, 1],
    [1_400, 1],
  ]);
});

test("orders are matched one to one, whatever their quantities", () => {
  const matches = matchOrders([at(0, 3), at(100, 3)], [at(50, 1)], 500);
  expect(matches).toEqual([{ live: at(0, 3), replayed: at(50, 1), quantity: 1 }]);
});

test("the score of hand-made fills is that of the formula", () => {
  // Live 4, replayed 6, of which 3 agree: precision 3 ÷ 6, recall 3 ÷ 4, score 2 · 3 ÷ (4 + 6).
  const score = fillScore([at(0, 3), at(30_000, 1)], [at(100, 4), at(50_000, 2)], times);
  expect(score).toMatchObject({ score: 0.6, precision: 0.5, recall: 0.75, excess: 0.5 });
});

test("replays without fills, and runs without fills, have the score 0", () => {
  expect(fillScore([at(0, 1)], [], times)).toMatchObject({ score: 0, precision: 0, recall: 0 });
  expect(fillScore([], [at(0, 1)], times)).toMatchObject({ score: 0, precision: 0, recall: 0 });
  expect(fillScore([], [], times)).toMatchObject({ score: 0 });
});

test("one fill tells nothing apart, many do", () => {
  const many = Array.from({ length: 6 }, (_, span) => at(span * 10_000, 1));
  const right = fillScore(many, many, times);
  const wrong = fillScore(many, many.slice(0, 2), times);
  expect(atLeastAsGood([right, wrong], 0)[1]).toBeLessThan(0.05);
  const [one] = many;
  const few = one === undefined ? [] : [one];
  // Most samples of this one do not have the span of its fill.
  const lucky = fillScore(few, few, times);
  const unlucky = fillScore(few, [], times);
  expect(atLeastAsGood([lucky, unlucky], 0)[1]).toBeGreaterThan(0.05);
});

test.each([12, 25, 49])(
  "a run of %d s tells nothing apart, however much better a model is",
  (seconds) => {
    const fills = Array.from({ length: seconds }, (_, second) => at(second * 1_000, 1));
    const shortTimes = { fromMs: 0, toMs: seconds * 1_000, windowMs: 500 };
    const right = fillScore(fills, fills, shortTimes);
    const wrong = fillScore(fills, [], shortTimes);
    expect(atLeastAsGood([right, wrong], 0)).toEqual([1, 1]);
  },
);
