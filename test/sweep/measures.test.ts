import { describe, expect, test } from "vitest";
import { sweepFigures } from "../../src/config/sweep-config.ts";
import { numbers, parseExpression } from "../../src/domain/expression.ts";
import type { ReplayLine } from "../../src/sweep/job.ts";
import { measuresOf, objectiveOf, objectiveRate } from "../../src/sweep/measures.ts";

const Z = 1.959963984540054;
const sharpe = (perHour: number, error: number, intervals: number) => ({
  perHour,
  low: perHour - Z * error,
  high: perHour + Z * error,
  intervals,
});
const line = (more: Partial<ReplayLine>): ReplayLine => ({
  durationMs: 1_800_000,
  fills: 10,
  volumeQuote: "100",
  pnl: { total: "3" },
  maxDrawdown: "2",
  sharpe: sharpe(4, 1, 30),
  totals: null,
  denied: [],
  described: {},
  strategies: [],
  ...more,
});
const other = line({
  durationMs: 5_400_000,
  fills: 5,
  volumeQuote: "300",
  pnl: { total: "-1.000000000000000001" },
  maxDrawdown: "5",
  sharpe: sharpe(2, 2, 10),
});

/**
 * Two recordings by hand: PnL 3 − 1.000000000000000001, volume 100 + 300, the deeper drawdown, 2 hours. The Sharpe ratio is
 * 30/40 · 4 + 10/40 · 2 = 3.5 with the error √((0.75 · 1)² + (0.25 · 2)²) = √0.8125 = 0.901388.
 */
test("figures of several recordings are added up", () => {
  const { sharpe: pooled, ...measures } = measuresOf([line({}), other]);
  expect(measures).toEqual({
    hours: 2,
    fills: 15,
    volume: "400",
    pnl: "1.999999999999999999",
    maxDrawdown: "5",
    denied: {},
    own: {},
  });
  expect(pooled?.ratio).toBeCloseTo(3.5, 10);
  expect(pooled?.error).toBeCloseTo(Math.sqrt(0.8125), 10);
});

test("denials are added up by rule, and own numbers are the mean over the recordings", () => {
  const denied = (rule: string, count: number) => ({ rule, count, first: "" });
  const { denied: counts, own } = measuresOf([
    line({
      denied: [denied("price-collar", 3), denied("max-position", 1)],
      described: { hitRate: 0.2, regime: "calm", side: "both", seen: 4 },
    }),
    line({
      denied: [denied("price-collar", 2)],
      described: { hitRate: 0.6, regime: "calm", side: "bids" },
    }),
  ]);
  expect(counts).toEqual({ "price-collar": 5, "max-position": 1 });
  expect(own).toEqual({ hitRate: 0.4, regime: "calm" });
});

describe("objectives", () => {
  const measures = measuresOf([line({})]);

  test("by hand: PnL 3, drawdown 2, volume 100, half an hour", () => {
    expect(objectiveOf("pnl", measures)).toBe(3);
    expect(objectiveOf("pnlPerDrawdown", measures)).toBe(1.5);
    // In basis points of the volume.
    expect(objectiveOf("pnlPerVolume", measures)).toBe(300);
    expect(objectiveOf("sharpe", measures)).toBe(4);
  });

  test("name own numbers of strategies and the number of denials", () => {
    const denied = [{ rule: "price-collar", count: 3 }];
    const own = measuresOf([
      line({ denied, strategies: [{ name: "left", described: { hitRate: 0.5, regime: "calm" } }] }),
    ]);
    expect(objectiveOf("pnl * own.left.hitRate - denied", own)).toBe(-1.5);
    expect(objectiveOf("own.left.regime", own)).toBeUndefined();
    expect(objectiveOf("own.right.hitRate", own)).toBeUndefined();
  });

  test.each([
    ["pnl - 2 * maxDrawdown", -1],
    ["-(pnl + 1) / fills * hours", -0.2],
    ["1e2 * pnl / volume", 3],
    ["pnl / (maxDrawdown - 2)", undefined],
  ])("may be an expression over the figures: %s", (objective, value) => {
    expect(objectiveOf(objective, measures)).toBe(value);
  });

  test.each(["pnl -", "(pnl", "pnl pnl", "2 pnl", "", "pnl; 1", "profit", "pnl ** 2", ")"])(
    "is refused when it is no expression: %s",
    (objective) => {
      expect(parseExpression(objective, sweepFigures, numbers)).toHaveProperty("problem");
    },
  );

  test("a PnL is compared per hour, a ratio as it is", () => {
    expect(objectiveRate("pnl", measures)).toBe(6);
    expect(objectiveRate("pnlPerDrawdown", measures)).toBe(1.5);
  });

  test("a ratio to nothing has no value", () => {
    expect(objectiveOf("pnlPerDrawdown", measuresOf([line({ maxDrawdown: "0" })]))).toBeUndefined();
    expect(objectiveOf("pnlPerVolume", measuresOf([line({ volumeQuote: "0" })]))).toBeUndefined();
    expect(objectiveOf("sharpe", measuresOf([line({}), line({ sharpe: null })]))).toBeUndefined();
  });

  test("several markets count in the reporting currency, and not without one", () => {
    const several = { volumeQuote: null, pnl: null, maxDrawdown: null, sharpe: null };
    const totals = {
      pnl: { total: "7" },
      volume: "70",
      maxDrawdown: "1",
      sharpe: sharpe(5, 1, 10),
    };
    const converted = measuresOf([line({ ...several, totals })]);
    expect(converted).toMatchObject({ pnl: "7", volume: "70", maxDrawdown: "1" });
    expect(objectiveOf("sharpe", converted)).toBe(5);
    expect(objectiveOf("pnl", measuresOf([line(several)]))).toBeUndefined();
  });
});
