import { describe, expect, test } from "vitest";
import { fixed, fixedText, mulFixed } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { candleOpen, Candles, countOpens } from "../../src/exchange/candles.ts";
import { tickerOf } from "../../src/exchange/ticker.ts";
import { resolutions } from "../../src/spec/endpoints/candles.ts";
import { ETH_USDT } from "../support/exchange.ts";

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
  test("have open, high, low, close, volumes and count, and leave out intervals without a trade", () => {
    const candles = candlesOf([
      [0, 100, "1"],
      [0.5, 103, "0.5"],
      [0.9, 99, "1"],
      [3, 101, "2"],
    ]);
    const found = candles.between("1", START / 1000, START / 1000 + 600);
    expect(found).toEqual([
      {
        openSec: START / 1000,
        open: 100,
        high: 103,
        low: 99,
        close: 99,
        volume: fixed("2.5"),
        quoteVolume: fixed("250.5"),
        tradeCount: 3,
      },
      {
        openSec: START / 1000 + 180,
        open: 101,
        high: 101,
        low: 101,
        close: 101,
        volume: fixed("2"),
        quoteVolume: fixed("202"),
        tradeCount: 1,
      },
    ]);
  });

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

  test("start weeks on Monday, months every 30 days from the epoch, and days at midnight UTC", () => {
    const sec = START / 1000;
    expect(new Date(candleOpen("1W", sec) * 1000).toISOString()).toBe("2025-12-29T00:00:00.000Z");
    expect(candleOpen("1D", sec + 5)).toBe(sec);
    expect(candleOpen("1M", sec) % (30 * 86_400)).toBe(0);
    expect(candleOpen("3D", sec) % (3 * 86_400)).toBe(0);
  });

  test("count every start in the window for the limit, both ends included", () => {
    expect(countOpens("1", 0, 59)).toBe(1);
    expect(countOpens("1", 1, 59)).toBe(0);
    expect(countOpens("1", 0, 60)).toBe(2);
    expect(countOpens("1", 60, 60 * 1000)).toBe(1000);
    expect(countOpens("1W", 0, 4 * 86_400)).toBe(1);
    expect(countOpens("1", 61, 60)).toBe(0);
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

describe("ticker (§2.8)", () => {
  const at = (minute: number) => unixMs(START + minute * MINUTE);

  test("is 0 before the first trade", () => {
    expect(tickerOf(ETH_USDT, new Candles(10), at(0))).toMatchObject({
      price: 0,
      open24h: 0,
      high24h: 0,
      low24h: 0,
    });
  });

  test("covers one rolling day and opens at the last price before it", () => {
    const candles = candlesOf([
      [0, 90, "5"],
      [10, 100, "1"],
      [20, 120, "1"],
      [30, 110, "1"],
    ]);
    const inside = tickerOf(ETH_USDT, candles, at(40));
    expect(inside).toMatchObject({ price: 110, open24h: 90, high24h: 120, low24h: 90 });
    expect(fixedText(inside.volume24h)).toBe("8");
    const later = tickerOf(ETH_USDT, candles, at(1440 + 15));
    expect(later).toMatchObject({ price: 110, open24h: 100, high24h: 120, low24h: 110 });
    expect(fixedText(later.quoteVolume24h)).toBe("230");
    const idle = tickerOf(ETH_USDT, candles, at(3 * 1440));
    expect(idle).toMatchObject({
      price: 110,
      open24h: 110,
      high24h: 110,
      low24h: 110,
      volume24h: 0n,
    });
  });
});
