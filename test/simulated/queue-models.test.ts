import { describe, expect, test } from "vitest";
import { defaultFills, type FillSettings, queueModel } from "../../src/simulated/queue-models.ts";
import { book, depth, play, quoteOnce, setupOf, trade, ways } from "../backtest/hand-made.ts";

/** One recorded market, played with each model. The own bid of 1 at 100 arrives at 50 behind a recorded quantity of 8. */
const market = () => [
  book(0, [100, 8, 99, 5], [102, 5]),
  depth(60, [100, 10], []), // 2 join behind it: 8 in front, 2 behind
  depth(70, [100, 6], []), // 4 leave without a trade
  trade(80, 100, 3, true),
  depth(90, [100, 3], []), // as the trade left it
  trade(100, 100, 1.5, true),
  trade(110, 100, 1, true),
  depth(130, [99, 6], []), // 0.5 of the level are back: the trades at 100 and 110 took 2.5 of 3
  trade(140, 99.9, 0.25, true), // beyond the order
  depth(200, [98, 1], []),
];

function fillsWith(change: Partial<FillSettings>, steps = market()): readonly string[] {
  const settings = { fills: { ...defaultFills, ...change } };
  return play(setupOf(quoteOnce([[100, "1"]], []), ways(10, 10), settings), steps).fills;
}

describe("a hand-made market of ten events", () => {
  test("risk-averse: only trades move the order on", () => {
    // Front: 8, after the increase 8; the decrease to 6 leaves min(8, 6) = 6. The trades leave 6 − 3 = 3, 3 − 1.5 = 1.5 and
    // 1.5 − 1 = 0.5. The trade of 0.25 at 99.9 removes what is better than its price and fills 0.25.
    expect(fillsWith({ queue: "risk-averse" })).toEqual(["140 BUY 0.25@100 0.00025 base"]);
  });

  test("uniform: a decrease is spread over the queue", () => {
    // The decrease: p = back ÷ (back + front) = 2 ÷ 10 = 0.2 of 4 lies behind: front 8 − 0.8 · 4 + min(2 − 0.8, 0) = 4.8.
    // Trades: 4.8 − 3 = 1.8; the book of 3 is as the trade left it. 1.8 − 1.5 = 0.3; the trade of 1 takes 0.3, then 0.7 of the order.
    expect(fillsWith({ queue: "uniform" })).toEqual([
      "110 BUY 0.7@100 0.0007 base",
      "140 BUY 0.25@100 0.00025 base",
    ]);
  });

  test("power: the longer part of the queue loses more than its share", () => {
    // n = 3: p = 2³ ÷ (2³ + 8³) = 8 ÷ 520 = 1 ÷ 65. Front: 8 − (64 ÷ 65) · 4 = 4.061538461…, rounded up to 4.06153847.
    // Trades: 1.06153847; the trade of 1.5 takes that and 0.43846153 of the order; the trade of 1 the remaining 0.56153847.
    expect(fillsWith({ queue: "power", exponent: 3 })).toEqual([
      "100 BUY 0.43846153@100 0.00043846153 base",
      "110 BUY 0.56153847@100 0.00056153847 base",
    ]);
  });

  test("log: the shorter part of the queue loses more than its share", () => {
    // p = ln 3 ÷ (ln 3 + ln 9) = 1 ÷ 3. Front: 8 − (2 ÷ 3) · 4 + min(2 − 4 ÷ 3, 0) = 5.333…, rounded up to 5.33333334.
    // Trades: 2.33333334, 0.83333334; the trade of 1 takes that and 0.16666666 of the order. At 140 another 0.25.
    expect(fillsWith({ queue: "log" })).toEqual([
      "110 BUY 0.16666666@100 0.00016666666 base",
      "140 BUY 0.25@100 0.00025 base",
    ]);
  });

  test("trade-through: trades at the order's price do not fill it", () => {
    expect(fillsWith({ queue: "trade-through" })).toEqual(["140 BUY 0.25@100 0.00025 base"]);
    const atPrice = [...market().slice(0, 8), trade(140, 100, 50, true), depth(200, [98, 1], [])];
    expect(fillsWith({ queue: "trade-through" }, atPrice)).toEqual([]);
    expect(fillsWith({ queue: "risk-averse" }, atPrice)).toEqual(["140 BUY 1@100 0.001 base"]);
  });

  test("without partial fills a trade that reaches an order fills it whole", () => {
    // As with `uniform`, the trade of 1 at 110 reaches the order after 0.3.
    const whole = { partialFills: false };
    expect(fillsWith({ queue: "uniform", ...whole })).toEqual(["110 BUY 1@100 0.001 base"]);
    expect(fillsWith({ queue: "trade-through", ...whole })).toEqual(["140 BUY 1@100 0.001 base"]);
    // A trade that ends with the quantity in front does not reach it.
    const exactly = [...market().slice(0, 6), trade(110, 100, 0.3, true), depth(200, [98, 1], [])];
    expect(fillsWith({ queue: "uniform", ...whole }, exactly)).toEqual([]);
  });

  test("a decrease that is larger than the estimated part behind comes from the front", () => {
    // 8 in front, 2 behind, down to 1: uniform says 0.2 · 9 = 1.8 behind, 8 − 7.2 = 0.8. With log, p = 1 ÷ 3 says 3 of 9 behind, where
    // only 2 are: 8 − 6 + (2 − 3) = 1, and at most 1.
    const steps = (size: number) => [
      ...market().slice(0, 2),
      depth(70, [100, 1], []),
      trade(80, 100, size, true),
      depth(200, [98, 1], []),
    ];
    expect(fillsWith({ queue: "uniform" }, steps(0.9))).toEqual(["80 BUY 0.1@100 0.0001 base"]);
    expect(fillsWith({ queue: "log" }, steps(1.5))).toEqual(["80 BUY 0.5@100 0.0005 base"]);
  });
});

test("two own orders at one price never share a trade, and keep their order", () => {
  // The bid of 1 stands behind 8, the second behind the same 8 and the first. A trade of 9.5 fills 1 and 0.5.
  const steps = [book(0, [100, 8], [102, 5]), trade(80, 100, 9.5, true), depth(200, [98, 1], [])];
  const two = quoteOnce(
    [
      [100, "1"],
      [100, "2"],
    ],
    [],
  );
  const played = play(setupOf(two), steps).fills;
  expect(played).toEqual(["80 BUY 1@100 0.001 base", "80 BUY 0.5@100 0.0005 base"]);
});

test("every queue keeps the front between 0 and what is left", () => {
  for (const queue of ["uniform", "power", "log"] as const) {
    const { frontAfter } = queueModel({ ...defaultFills, queue });
    expect(frontAfter(0, 5, 2)).toBeLessThanOrEqual(0);
    expect(frontAfter(5, 5, 2)).toBe(2);
  }
});

test("a queue whose formula leaves the range of doubles still has a front", () => {
  const { frontAfter } = queueModel({ ...defaultFills, queue: "power", exponent: 20 });
  // 1e17 ** 20 is infinite, 1e-18 ** 20 is 0.
  expect(frontAfter(1e17, 3e17, 2e17)).toBe(1e17);
  expect(frontAfter(2e17, 3e17, 2e17)).toBe(1e17);
  expect(frontAfter(1e-18, 1e-18, 0)).toBe(0);
  const log = queueModel({ ...defaultFills, queue: "log" });
  expect(log.frontAfter(1e-18, 1e-18, 0)).toBe(0);
});
