import { describe, expect, it } from "vitest";
import { isSoak } from "../support/soak.ts";
import { type SharedBudget, twentyMarkets } from "./twenty-markets.ts";

const duration = "30s";

describe("twenty strategies with one rate budget", () => {
  let ofEight: SharedBudget["quoted"] = [];

  it.each(isSoak ? [20, 8] : [8])(
    "share it, whatever their order, at %i requests a second",
    (perSecond) => {
      const { quoted, warnings } = twentyMarkets(perSecond, { duration });
      ofEight = quoted;
      const sides = quoted.flatMap(({ bid, ask }) => [bid, ask]);
      expect(sides).toHaveLength(40);
      expect(Math.min(...sides)).toBeGreaterThan(0);
      const meanOf = (some: typeof sides): number =>
        some.reduce((sum, one) => sum + one, 0) / some.length;
      const [first, last] = [meanOf(sides.slice(0, 10)), meanOf(sides.slice(-10))];
      expect(last).toBeGreaterThan(first / 2);
      expect(last).toBeLessThan(2 * first);
      expect(Math.max(...sides)).toBeLessThan(5 * meanOf(sides));
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(
        new RegExp(`^RATE_SHORT: .* about [0-9.]+ requests a second, .* is ${perSecond} a second`),
      );
    },
  );

  it("quote in the other markets while stops trail the mid in ten of them", () => {
    const { quoted } = twentyMarkets(8, { duration, trails: 10 });
    const shareOf = (some: typeof quoted): number =>
      some.reduce((sum, { bid, ask }) => sum + bid + ask, 0) / (2 * some.length);
    expect(shareOf(ofEight)).toBeGreaterThan(0);
    expect(shareOf(quoted.slice(10))).toBeGreaterThan(shareOf(ofEight) / 2);
  });

  it("warn of nothing when the budget is enough, although the first quotes of all have to wait", () => {
    const requote = { nearer: "1%", farther: "1%" };
    expect(twentyMarkets(40, { refresh: "10s", duration, requote }).warnings).toEqual([]);
  });
});
