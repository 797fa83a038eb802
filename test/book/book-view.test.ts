import { describe, expect, test } from "vitest";
import { BookLessOwn } from "../../src/book/book-view.ts";
import { LevelBook } from "../../src/book/level-book.ts";
import type { BookView } from "../../src/strategy/view.ts";
import { flat } from "./naive-book.ts";

function viewOf(own: { BUY?: Record<string, number>; SELL?: Record<string, number> }): BookView {
  const book = new LevelBook();
  book.apply({ bids: flat(100, 3, 99, 2, 98, 5), asks: flat(101, 1, 102, 4) });
  return new BookLessOwn(book, (side, price) => own[side]?.[price] ?? 0);
}

describe("BookLessOwn", () => {
  test("is the book when nothing is ours", () => {
    const view = viewOf({});
    expect(view.best("BUY")).toEqual({ price: 100, quantity: 3 });
    expect(view.level("BUY", 2)).toEqual({ price: 98, quantity: 5 });
    expect(view.level("BUY", 3)).toBeUndefined();
    expect(view.levels("SELL", 9)).toEqual([
      { price: 101, quantity: 1 },
      { price: 102, quantity: 4 },
    ]);
    expect([view.mid, view.spread]).toEqual([100.5, 1]);
    expect(view.weightedMid).toBeCloseTo((100 * 1 + 101 * 3) / 4);
  });

  test("takes our quantity off a level and leaves out a level that is all ours", () => {
    const view = viewOf({ BUY: { 100: 3, 99: 0.5 }, SELL: { 101: 0.25 } });
    expect(view.best("BUY")).toEqual({ price: 99, quantity: 1.5 });
    expect(view.level("BUY", 1)).toEqual({ price: 98, quantity: 5 });
    expect(view.best("SELL")).toEqual({ price: 101, quantity: 0.75 });
    expect([view.mid, view.spread]).toEqual([100, 2]);
  });

  test("tells how far a quantity reaches and what it costs, without ours", () => {
    const view = viewOf({ SELL: { 101: 0.5 } });
    expect([0.5, 0.6, 4.5, 4.6].map((size) => view.priceFor("SELL", size))).toEqual([
      101,
      102,
      102,
      undefined,
    ]);
    expect(view.averageFor("SELL", 1)).toBeCloseTo((0.5 * 101 + 0.5 * 102) / 1);
    expect([view.averageFor("SELL", 0), view.averageFor("SELL", 5)]).toEqual([
      undefined,
      undefined,
    ]);
    expect([100.5, 101, 101.5, 103].map((price) => view.quantityTo("SELL", price))).toEqual([
      0, 0.5, 0.5, 4.5,
    ]);
    expect([101, 100, 98].map((price) => view.quantityTo("BUY", price))).toEqual([0, 3, 10]);
  });

  test("the noise of doubles is nobody's order, and more of ours than the level holds is not negative", () => {
    expect(viewOf({ BUY: { 100: 3 - 1e-15 * 4 } }).best("BUY")?.price).toBe(99);
    expect(viewOf({ BUY: { 100: 7 } }).best("BUY")?.price).toBe(99);
  });

  test("a side that is all ours is empty, and so has no mid", () => {
    const view = viewOf({ SELL: { 101: 1, 102: 4 } });
    expect(view.best("SELL")).toBeUndefined();
    expect([view.mid, view.weightedMid, view.spread]).toEqual([undefined, undefined, undefined]);
  });
});
