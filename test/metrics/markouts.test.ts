import { describe, expect, test } from "vitest";
import { Markouts } from "../../src/metrics/markouts.ts";

const none = { BUY: undefined, SELL: undefined };

describe("Markouts", () => {
  test("average the mid's move in the fills' favour, weighted by quantity", () => {
    const markouts = new Markouts([1_000, 5_000]);
    markouts.mid(0, 100);
    markouts.fill("BUY", 3, 500);
    markouts.fill("SELL", 1, 600);
    // The fills are due at 1500 and 1600; a mid that changes at that moment counts.
    markouts.mid(1_500, 101);
    markouts.mid(1_601, 50);
    // (3 · 1 % − 1 · 1 %) ÷ 4
    const [second, fifth] = markouts.at(5_400);
    expect(second?.bps).toBeCloseTo(50, 9);
    expect(second?.sides.BUY).toBeCloseTo(100, 9);
    expect(second?.sides.SELL).toBeCloseTo(-100, 9);
    expect(fifth).toEqual({ horizonMs: 5_000, bps: undefined, sides: none });
    // (3 · −50 % − 1 · −50 %) ÷ 4
    expect(markouts.at(5_600)[1]?.bps).toBeCloseTo(-2_500, 9);
  });

  test("leave out a fill that is due while the mid is not known", () => {
    const markouts = new Markouts([1_000, 2_000, 3_000]);
    markouts.mid(0, 100);
    markouts.fill("BUY", 1, 500);
    markouts.lost(1_500);
    markouts.mid(2_501, 101);
    expect(markouts.at(9_000).map(({ bps }) => bps)).toEqual([
      0,
      undefined,
      expect.closeTo(100, 9),
    ]);
    markouts.fill("BUY", 1, 9_000);
    markouts.lost(9_500);
    expect(markouts.at(20_000)[0]?.bps).toBe(0);
  });

  test("leave out a fill before the first mid", () => {
    const markouts = new Markouts([1_000]);
    markouts.fill("BUY", 1, 0);
    markouts.mid(10, 100);
    markouts.mid(900, 200);
    expect(markouts.at(10_000)).toEqual([{ horizonMs: 1_000, bps: undefined, sides: none }]);
  });
});
