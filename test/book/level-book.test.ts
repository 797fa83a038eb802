import { describe, expect, test } from "vitest";
import { bestText, bookLines, gridBestText } from "../../src/book/book-lines.ts";
import { LevelBook } from "../../src/book/level-book.ts";
import { flat, NaiveBook } from "./naive-book.ts";

describe("LevelBook", () => {
  test("an empty side has no best", () => {
    const book = new LevelBook();
    expect(book.bids.bestPrice).toBeUndefined();
    expect(book.asks.bestQuantity).toBe(0);
    expect(book.asks.top(5)).toHaveLength(0);
    book.apply({ bids: flat(10, 1), asks: flat() });
    book.apply({ bids: flat(10, 0), asks: flat(11, 0) });
    expect(book.bids.bestPrice).toBeUndefined();
    expect(book.bids.size + book.asks.size).toBe(0);
  });

  test("quantities are absolute, and a level that is not held may be removed", () => {
    const book = new LevelBook();
    book.apply({ bids: flat(10, 1, 9, 2), asks: flat(11, 3) });
    book.apply({ bids: flat(10, 5, 8, 0), asks: flat(12, 0) });
    expect([...book.bids.top(9)]).toEqual([10, 5, 9, 2]);
    expect([...book.asks.top(9)]).toEqual([11, 3]);
  });

  test("a level without a positive price or with a negative quantity never gets in", () => {
    const book = new LevelBook();
    book.apply({ bids: flat(-1, 5, 10, 1), asks: flat(0, 5, 11, -2, Number.NaN, 1, 12, 1) });
    expect([...book.bids.top(9)]).toEqual([10, 1]);
    expect([...book.asks.top(9)]).toEqual([12, 1]);
  });

  test("one odd price does not spoil the tick, and all of it is still there", () => {
    const book = new LevelBook();
    const levels: number[] = [];
    for (let at = 0; at < 400; at += 1) levels.push(61_000 - at, 1);
    levels.push(60_000.123456789, 2, 1 / 3, 4);
    book.load({ bids: Float64Array.from(levels), asks: flat() });
    expect([...book.bids.top(1000)]).toEqual(levels);
    expect(book.bids.quantityAt(1 / 3)).toBe(4);
  });

  test("stays right when the market's prices become finer, and coarse again", () => {
    const book = new LevelBook();
    const naive = new NaiveBook();
    const prices = (decimals: number) =>
      Array.from({ length: 1500 }, (_, at) =>
        Number((100 - at / 10 ** decimals).toFixed(decimals)),
      );
    book.load({
      bids: Float64Array.from(
        prices(0)
          .slice(0, 90)
          .flatMap((price) => [price, 1]),
      ),
      asks: flat(),
    });
    naive.apply(book.levels());
    for (const decimals of [3, 3, 1, 8, 2]) {
      for (const [at, price] of prices(decimals).entries()) {
        if (price <= 0) continue;
        const change = { bids: flat(price, at % 7), asks: flat(price + 100, at % 5) };
        book.apply(change);
        naive.apply(change);
      }
      expect([...book.bids.top(99_999)]).toEqual(naive.levels("bids"));
      expect([...book.asks.top(99_999)]).toEqual(naive.levels("asks"));
    }
  });

  test("prints what was recorded, without exponents or trailing zeros", () => {
    const book = new LevelBook();
    book.apply({
      bids: flat(Number("0.00000012"), Number("85000000.00000000")),
      asks: flat(Number("61837.63000000"), Number("0.00001000"), 70_000, 12),
    });
    expect(bookLines(book)).toBe("B 0.00000012 85000000\nA 61837.63 0.00001\nA 70000 12\n");
    expect(bookLines(book, 1)).toBe("B 0.00000012 85000000\nA 61837.63 0.00001\n");
    expect(bestText(book, "SELL")).toEqual(["61837.63", "0.00001"]);
  });

  test("folds the touch on the venue's grid, totals exact", () => {
    const book = new LevelBook();
    book.apply({
      bids: flat(61837.63, 0.1, 61837.2, 0.2, 61836.9, 7),
      asks: flat(61837.64, 1.6, 61838, 0.00001, 61838.01, 9),
    });
    expect(gridBestText(book, "BUY")).toEqual(["61837", "0.3"]);
    expect(gridBestText(book, "SELL")).toEqual(["61838", "1.60001"]);
    expect(gridBestText(new LevelBook(), "SELL")).toBeUndefined();
  });
});
