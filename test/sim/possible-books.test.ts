import { describe, expect, it } from "vitest";
import type { BookSnapshot, DepthEvent } from "../../src/domain/depth.ts";
import { PossibleBooks } from "../../src/sim/possible-books.ts";
import { NOW, testMarket } from "../support/exchange.ts";

const { marketId } = testMarket();
const none = new Float64Array();
const whole = (lastId: number, ...bids: number[]): BookSnapshot => {
  return { marketId, lastId, timeMs: NOW, bids: Float64Array.from(bids), asks: none };
};
const event = (firstId: number, finalId: number, ...bids: number[]): DepthEvent => {
  return { marketId, firstId, finalId, timeMs: NOW, bids: Float64Array.from(bids), asks: none };
};
/** Newest id and bids of each book that the bot may hold. */
const held = (books: PossibleBooks) =>
  books.live.map((book) => [book.lastId, ...[...book.levels("BUY")].flat()]);
/** After these, delivered to a connection that has just opened. */
const after = (...delivered: (BookSnapshot | DepthEvent)[]): PossibleBooks => {
  const books = new PossibleBooks();
  books.opened();
  for (const one of delivered) {
    if ("lastId" in one) books.whole(one);
    else books.event(one);
  }
  return books;
};

describe("the books that a bot may hold", () => {
  it("need a connection and a whole book", () => {
    const closed = new PossibleBooks();
    closed.whole(whole(5, 100, 1));
    expect(held(closed)).toEqual([]);
    expect(held(after(event(6, 6, 100, 1)))).toEqual([]);
    const books = after(whole(5, 100, 1));
    expect(held(books)).toEqual([[5, 100, 1]]);
    books.closed();
    expect(books.newest).toBeUndefined();
  });

  it("drop what the whole book has, and apply what follows", () => {
    const waiting = [event(3, 4, 99, 9), event(5, 6, 98, 1), event(7, 7, 100, 0)];
    expect(held(after(...waiting, whole(5, 100, 1)))).toEqual([[7, 98, 1]]);
    expect(held(after(whole(5, 100, 1), event(4, 5, 99, 9), event(5, 6, 98, 1)))).toEqual([
      [6, 100, 1, 98, 1],
    ]);
  });

  it("end at a gap, also at one among the waiting events", () => {
    expect(held(after(whole(5, 100, 1), event(7, 7, 99, 1)))).toEqual([]);
    const waiting = [event(4, 4, 99, 1), event(6, 6, 98, 1)];
    expect(held(after(...waiting, whole(4, 100, 1)))).toEqual([]);
    expect(held(after(...waiting, whole(5, 100, 1)))).toEqual([[6, 100, 1, 98, 1]]);
    // Only the first event after a whole book may begin before its end.
    expect(held(after(whole(5, 100, 1), event(5, 6, 99, 1), event(6, 7, 98, 1)))).toEqual([]);
  });

  it("are never replaced by an older whole book, and may be by a newer one", () => {
    expect(held(after(whole(5, 100, 1), whole(4, 99, 1)))).toEqual([[5, 100, 1]]);
    const books = after(whole(5, 100, 1), whole(7, 99, 1));
    expect(held(books)).toEqual([
      [5, 100, 1],
      [7, 99, 1],
    ]);
    expect(books.newest?.lastId).toBe(7);
    books.event(event(6, 7, 100, 0, 99, 1));
    books.event(event(8, 8, 98, 1));
    expect(held(books)).toEqual([[8, 99, 1, 98, 1]]);
  });

  it("are given up when the bot says so, at the end of a step or within it", () => {
    const books = after(whole(5, 100, 1));
    books.mayBeGivenUp();
    expect(held(books)).toEqual([[5, 100, 1]]);
    books.whole(whole(4, 99, 1));
    expect(held(books)).toEqual([
      [5, 100, 1],
      [4, 99, 1],
    ]);
    // A newer book may still replace the one that is held; an older one may not.
    books.keep(books.live.slice(1));
    expect(held(books)).toHaveLength(2);
    books.keep(books.live.slice(0, 1));
    expect(held(books)).toEqual([[5, 100, 1]]);
    books.isGivenUp();
    expect(held(books)).toEqual([]);
    books.whole(whole(3, 98, 1));
    expect(held(books)).toEqual([[3, 98, 1]]);
  });
});
