import { expect, test } from "vitest";
import { HOUR_MS } from "../../src/domain/time.ts";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { InventoryStatistics } from "../../src/metrics/inventory-statistics.ts";

test("means are over time, extremes over all positions, and turnover is per hour", () => {
  const inventory = new InventoryStatistics(undefined, 10_000);
  inventory.advance(1_000);
  inventory.fill(fixed("2"), fixed("2"), 1_000 + HOUR_MS);
  inventory.fill(fixed("-1"), fixed("3"), 1_000 + 2 * HOUR_MS);
  const figures = inventory.at(1_000 + 4 * HOUR_MS);
  // 0 for an hour, 2 for an hour, −1 for two hours.
  expect(figures.mean.toFixed()).toBe("0");
  expect(figures.meanAbsolute.toFixed()).toBe("1");
  expect([fixedText(figures.max), fixedText(figures.min)]).toEqual(["2", "-1"]);
  // 5 traded in 4 hours around a mean size of 1.
  expect(figures.turnoverPerHour).toBeCloseTo(1.25, 12);
  expect(figures.timeAtLimit).toBeUndefined();
});

test("a position is at its limit while there is no room for another quote", () => {
  const inventory = new InventoryStatistics(fixed("1"), 10_000);
  inventory.advance(0);
  inventory.quoted(fixed("0.4"), 0);
  inventory.fill(fixed("0.6"), fixed("0.6"), 1_000);
  inventory.fill(fixed("-0.7"), fixed("1.3"), 2_000);
  inventory.quoted(fixed("0.2"), 2_500);
  // 0.6 + 0.4 is not beyond 1; 0.7 + 0.4 is, for half a second; 0.7 + 0.2 is not.
  expect(inventory.at(4_000).timeAtLimit).toBeCloseTo(0.125, 12);
});

test("the half-life is that of a position that decays by a constant share", () => {
  const inventory = new InventoryStatistics(undefined, 10_000);
  for (let at = 0; at < 20; at += 1) {
    const base = fixed((1024 * 0.5 ** at).toFixed(12));
    inventory.fill(base, ZERO, at * 10_000);
    inventory.sample();
  }
  expect(inventory.at(200_000).halfLifeMs).toBeCloseTo(10_000, 3);
});

test("a position that never returns, and one that was always 0, have no half-life and no turnover", () => {
  const growing = new InventoryStatistics(undefined, 10_000);
  const flat = new InventoryStatistics(undefined, 10_000);
  for (let at = 0; at < 20; at += 1) {
    growing.fill(fixed(String(2 ** at)), ZERO, at * 10_000);
    growing.sample();
    flat.advance(at * 10_000);
    flat.sample();
  }
  expect(growing.at(200_000).halfLifeMs).toBeUndefined();
  expect(flat.at(200_000)).toMatchObject({ halfLifeMs: undefined, turnoverPerHour: undefined });
});
