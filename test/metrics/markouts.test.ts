import { describe, expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Side } from "../../src/domain/side.ts";
import { Markouts } from "../../src/metrics/markouts.ts";

const none = { BUY: undefined, SELL: undefined };
const fill = (side: Side, quantity: number, timeMs: number, order = "0x1", price = 100) => ({
  orderId: order as OrderId,
  side,
  quantity,
  price,
  timeMs,
});

describe("Markouts", () => {
  test("average the mid's move in the fills' favour, weighted by quantity", () => {
    const markouts = new Markouts([1_000, 5_000]);
    markouts.mid(0, 100);
    markouts.add(fill("BUY", 3, 500, "0x1"));
    markouts.add(fill("SELL", 1, 600, "0x2"));
    // The fills are due at 1500 and 1600; a mid that changes at that moment counts.
    markouts.mid(1_500, 101);
    markouts.mid(1_601, 50);
    // (3 · 1 % − 1 · 1 %) ÷ 4
    const [second, fifth] = markouts.at(5_400);
    expect(second?.all?.midToMid.mean).toBeCloseTo(50, 9);
    expect(second?.sides.BUY?.midToMid.mean).toBeCloseTo(100, 9);
    expect(second?.sides.SELL?.midToMid.mean).toBeCloseTo(-100, 9);
    expect(fifth).toEqual({ horizonMs: 5_000, all: undefined, sides: none });
    // (3 · −50 % − 1 · −50 %) ÷ 4
    expect(markouts.at(5_600)[1]?.all?.midToMid.mean).toBeCloseTo(-2_500, 9);
  });

  test("are measured from the mid before the fill and from the fill's price", () => {
    const markouts = new Markouts([100]);
    markouts.mid(0, 100);
    markouts.add(fill("BUY", 1, 500, "0x1", 99.5));
    markouts.add(fill("SELL", 1, 500, "0x2", 100.5));
    markouts.mid(550, 100.2);
    const [{ sides }] = markouts.at(700) as [ReturnType<Markouts["at"]>[0] & object];
    expect(sides.BUY?.midToMid.mean).toBeCloseTo(20, 9);
    expect(sides.BUY?.fillToMid.mean).toBeCloseTo((0.7 / 99.5) * 10_000, 9);
    expect(sides.SELL?.midToMid.mean).toBeCloseTo(-20, 9);
    expect(sides.SELL?.fillToMid.mean).toBeCloseTo((0.3 / 100.5) * 10_000, 9);
  });

  test("have an error clustered by order: more fills of one order say no more than one", () => {
    const errorOf = (fills: readonly (readonly [string, number])[]) => {
      const markouts = new Markouts([1_000]);
      for (const [at, [order, move]] of fills.entries()) {
        markouts.mid(10_000 * at, 100);
        markouts.add(fill("BUY", 1, 10_000 * at, order));
        markouts.mid(10_000 * at + 500, 100 + move);
      }
      return markouts.at(10_000 * fills.length)[0]?.all;
    };
    // √(2 ÷ 1 · (100² + 100²)) ÷ 2 around the mean of 0.
    expect(
      errorOf([
        ["0x1", 1],
        ["0x2", -1],
      ])?.midToMid.error,
    ).toBeCloseTo(100, 9);
    const repeated = errorOf([
      ["0x1", 1],
      ["0x1", 1],
      ["0x2", -1],
      ["0x2", -1],
    ]);
    expect(repeated?.midToMid.error).toBeCloseTo(100, 9);
    expect(repeated?.orders).toBe(2);
    expect(
      errorOf([
        ["0x1", 1],
        ["0x1", -1],
      ])?.midToMid.error,
    ).toBeUndefined();
  });

  test("leave out a fill that is due while the mid is not known", () => {
    const markouts = new Markouts([1_000, 2_000, 3_000]);
    markouts.mid(0, 100);
    markouts.add(fill("BUY", 1, 500));
    markouts.lost(1_500);
    markouts.mid(2_501, 101);
    expect(markouts.at(9_000).map(({ all }) => all?.midToMid.mean)).toEqual([
      0,
      undefined,
      expect.closeTo(100, 9),
    ]);
    markouts.add(fill("BUY", 1, 9_000));
    markouts.lost(9_500);
    expect(markouts.at(20_000)[0]?.all?.midToMid.mean).toBe(0);
  });

  test("leave out a fill before the first mid", () => {
    const markouts = new Markouts([1_000]);
    markouts.add(fill("BUY", 1, 0));
    markouts.mid(10, 100);
    markouts.mid(900, 200);
    expect(markouts.at(10_000)).toEqual([{ horizonMs: 1_000, all: undefined, sides: none }]);
  });
});
