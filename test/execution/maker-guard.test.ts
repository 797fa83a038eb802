import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedRules } from "../../src/domain/fixed-rules.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { guardedPrice, makerPrice } from "../../src/execution/maker-guard.ts";

const tickRules = fixedRules({ type: "fixed", tick: "0.01", lot: "0.00001" });

describe("maker guard", () => {
  it.each([
    // side, wanted, opposite touch, sent
    ["BUY", 100, 101, 100],
    ["BUY", 101, 101, 100.99],
    ["BUY", 150, 101, 100.99],
    ["BUY", 150, undefined, 150],
    ["SELL", 101, 100, 101],
    ["SELL", 100, 100, 100.01],
    ["SELL", 50, undefined, 50],
    // Wanted off the grid: bids down, asks up.
    ["BUY", 100.019, 101, 100.01],
    ["SELL", 100.011, 100, 100.02],
    // Tier edges: the tick below an edge is the finer one, above it the coarser.
    ["BUY", 10000, 10000, 9999.9],
    ["SELL", 9999.9, 9999.9, 10000],
    ["SELL", 10000, 10000, 10001],
    ["BUY", 100010, 100000, 99999],
    ["SELL", 99999, 100000, 100010],
    ["BUY", 1, 1, 0.99999],
    ["SELL", 0.99999, 0.99999, 1],
    ["BUY", 0.001, 0.001, 0.00099999],
    // A touch off the grid.
    ["BUY", 200, 101.005, 101],
    ["SELL", 50, 101.005, 101.01],
    // Nothing positive is left.
    ["BUY", 5e-9, 1, undefined],
    ["BUY", 1e-8, 1e-8, undefined],
    ["BUY", 2e-8, 2e-8, 1e-8],
    ["SELL", 0, 100, undefined],
    ["SELL", -1, undefined, undefined],
    ["SELL", Number.NaN, 100, undefined],
    ["BUY", Number.POSITIVE_INFINITY, 100, undefined],
  ] as const)("%s wanted at %d against %s goes out at %s", (side, wanted, touch, sent) => {
    expect(makerPrice(gridRules, side, wanted, touch)).toBe(sent);
  });

  it.each([
    ["BUY", 61837.638, 61850, 61837.63],
    ["BUY", 61840, 61837.64, 61837.63],
    ["SELL", 61837.631, 61800, 61837.64],
    ["SELL", 61830, 61837.63, 61837.64],
    // A touch off the tick.
    ["BUY", 61840, 61837.635, 61837.63],
    // Nothing positive is left.
    ["BUY", 0.009, 1, undefined],
    ["BUY", 1, 0.01, undefined],
  ] as const)(
    "on a tick of 0.01, %s wanted at %d against %s goes out at %s",
    (side, wanted, touch, sent) => {
      expect(makerPrice(tickRules, side, wanted, touch)).toBe(sent);
    },
  );

  const prices = fc
    .record({
      digits: fc.integer({ min: 1, max: 999_999 }),
      exponent: fc.integer({ min: -9, max: 2 }),
    })
    .map(({ digits, exponent }) => Number(`${digits}e${exponent}`));

  it.each([
    ["the grid", gridRules],
    ["a fixed tick", tickRules],
  ])(
    "on %s sends a legal price strictly inside the touch, never keener than wanted, and the keenest of those",
    (_, rules) => {
      const lowest = rules.roundUp(0);
      fc.assert(
        fc.property(prices, prices, (wanted, touch) => {
          const bid = makerPrice(rules, "BUY", wanted, touch);
          if (bid !== undefined) {
            expect(rules.isLegal(bid)).toBe(true);
            expect(bid).toBeLessThan(touch);
            expect(bid).toBeLessThanOrEqual(wanted * (1 + 1e-9));
            const between = rules.roundDown((bid + Math.min(wanted, touch)) / 2);
            expect(between <= bid || between >= Math.min(wanted, touch)).toBe(true);
          } else {
            expect(Math.min(wanted, touch)).toBeLessThanOrEqual(lowest);
          }
          const ask = makerPrice(rules, "SELL", wanted, touch);
          expect(ask).toBeDefined();
          if (ask === undefined) return;
          expect(rules.isLegal(ask)).toBe(true);
          expect(ask).toBeGreaterThan(touch);
          expect(ask).toBeGreaterThanOrEqual(wanted * (1 - 1e-9));
          const between = rules.roundUp((ask + Math.max(wanted, touch)) / 2);
          expect(between >= ask || between <= Math.max(wanted, touch)).toBe(true);
        }),
        { numRuns: 1000 },
      );
    },
  );

  it("leaves a legal price behind the touch where it is, and gives the maker price otherwise", () => {
    const rules = fc.constantFrom(gridRules, tickRules);
    const price = fc.double({ min: 0.02, max: 200_000, noNaN: true });
    const apart = fc.oneof(fc.constant(0), fc.double({ min: -0.001, max: 0.001, noNaN: true }));
    fc.assert(
      fc.property(rules, fc.constantFrom("BUY", "SELL"), price, apart, (of, side, near, share) => {
        const legal = of.roundDown(near);
        const touch = near * (1 + share);
        for (const opposite of [touch, legal, of.roundUp(touch), undefined]) {
          expect(guardedPrice(of, side, legal, opposite)).toBe(
            makerPrice(of, side, legal, opposite),
          );
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
