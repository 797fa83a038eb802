import { expect, test } from "vitest";
import { HOUR_MS } from "../../src/domain/time.ts";
import { SharpeRatio } from "../../src/metrics/sharpe-ratio.ts";

function estimateOf(changes: readonly number[], intervalMs = HOUR_MS) {
  const sharpe = new SharpeRatio(intervalMs);
  for (const change of changes) sharpe.add(change);
  return sharpe.estimate();
}

test("the ratio and its interval are those of the formula, worked out by hand", () => {
  // Mean 2, deviations −1, −1, −1, 0, 3: squares 12, cubes 24, fourth powers 84.
  // S = 2 / √(12 / 4) = 1.154701; γ₃ = √5 · 24 / 12^1.5 = 1.290994; γ₄ = 5 · 84 / 144 = 2.916667.
  // Variance (1 − γ₃ S + (γ₄ − 1) / 4 · S²) / 4 = (1 − 1.490712 + 0.638889) / 4 = 0.037044.
  const estimate = estimateOf([1, 1, 1, 2, 5]);
  expect(estimate?.perHour).toBeCloseTo(1.154701, 6);
  const error = 1.959964 * Math.sqrt(0.037044);
  expect(estimate?.low).toBeCloseTo(1.154701 - error, 4);
  expect(estimate?.high).toBeCloseTo(1.154701 + error, 4);
  expect(estimate?.intervals).toBe(5);
});

test("a shorter interval is scaled to an hour by the square root of time", () => {
  const hourly = estimateOf([1, 1, 1, 2, 5]);
  const tenSeconds = estimateOf([1, 1, 1, 2, 5], 10_000);
  expect(tenSeconds?.perHour).toBeCloseTo((hourly?.perHour ?? 0) * Math.sqrt(360), 9);
  expect(tenSeconds?.low).toBeCloseTo((hourly?.low ?? 0) * Math.sqrt(360), 9);
});

test("the moments do not lose precision when the PnL is far from 0", () => {
  const changes = Array.from({ length: 200 }, (_, at) => Math.sin(at) + 0.01 * at);
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
  const power = (exponent: number): number =>
    changes.reduce((sum, change) => sum + (change - mean) ** exponent, 0) / changes.length;
  const n = changes.length;
  const ratio = mean / Math.sqrt((power(2) * n) / (n - 1));
  const skewness = power(3) / power(2) ** 1.5;
  const kurtosis = power(4) / power(2) ** 2;
  const variance = (1 - skewness * ratio + ((kurtosis - 1) / 4) * ratio ** 2) / (n - 1);
  const estimate = estimateOf(changes);
  expect(estimate?.perHour).toBeCloseTo(ratio, 10);
  expect(estimate?.high).toBeCloseTo(ratio + 1.959963984540054 * Math.sqrt(variance), 10);
});

test("there is none for fewer than five intervals, and for a PnL that did not move", () => {
  expect(estimateOf([1, 2, 3, 4])).toBeUndefined();
  expect(estimateOf([0, 0, 0, 0, 0, 0])).toBeUndefined();
});
