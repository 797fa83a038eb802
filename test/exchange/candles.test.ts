import { describe, expect, test } from "vitest";
import { fixed, mulFixed } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Candles } from "../../src/exchange/candles.ts";
import { candleOpen, resolutions } from "../../src/domain/candle.ts";

const MINUTE = 60_000;
const START = 1_767_225_600_000; // 2026-01-01, a Thursday

function candlesOf(trades: readonly [minute: number, price: number, quantity: string][]): Candles {
  const candles = new Candles(2000);
  for (const [minute, price, quantity] of trades) {
    const volume = fixed(quantity);
    candles.trade(
      price,
      volume,
      mulFixed(fixed(String(price)), volume),
      unixMs(START + minute * MINUTE),
    );
  }
  return candles;
}

describe("candles (D32)", () => {
  test("agree with a plain fold over the trades in every resolution", () => {
    const trades = Array.from({ length: 400 }, (_, at): [number, number, string] => [
      at * 37.3,
      100 + ((at * 7919) % 41),
      `${1 + (at % 3)}`,
    ]);
    const candles = candlesOf(trades);
    for (const resolution of resolutions) {
      const opens = new Map<number, number[]>();
      for (const [minute, price] of trades) {
        const open = candleOpen(resolution, Math.floor((START + minute * MINUTE) / 1000));
        opens.set(open, [...(opens.get(open) ?? []), price]);
      }
      const plain = [...opens].map(([openSec, prices]) => ({
        openSec,
        open: prices[0],
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices.at(-1),
        tradeCount: prices.length,
      }));
      const found = candles.between(resolution, 0, 2e10);
      expect(found).toMatchObject(plain);
      expect(found).toHaveLength(plain.length);
    }
  });

  test("do not change when they are queried", () => {
    const candles = candlesOf([
      [0, 100, "1"],
      [1, 101, "1"],
    ]);
    const before = candles.between("60", 0, 2e10);
    expect(candles.between("60", 0, 2e10)).toEqual(before);
  });

  test("keep only the newest", () => {
    const candles = new Candles(3);
    for (let minute = 0; minute < 10; minute += 1) {
      candles.trade(100 + minute, fixed("1"), fixed("100"), unixMs(START + minute * MINUTE));
    }
    expect(candles.between("1", 0, 2e10).map((candle) => candle.close)).toEqual([
      106, 107, 108, 109,
    ]);
  });
});
