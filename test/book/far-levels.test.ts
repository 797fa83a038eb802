import { expect, it } from "vitest";
import { LevelBook } from "../../src/book/level-book.ts";
import { NaiveBook } from "./naive-book.ts";

const TICK = 0.01;
/** More than the tenfold of a new window's slots. */
const SPAN = 800_000;

/** Whole numbers from 0 to `below`, always the same ones: a linear congruential generator. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

it("a book whose changes are mostly far from the touch stays right while its window grows and the touch wanders", () => {
  const book = new LevelBook();
  const naive = new NaiveBook();
  const cursor = book.bids.cursor();
  const next = numbersFrom(7);
  let mid = 6_000_000;
  for (let frame = 0; frame < 3_000; frame += 1) {
    mid += next(4_001) - 2_000;
    const levels = (sign: 1 | -1): Float64Array =>
      Float64Array.from(
        Array.from({ length: 4 }, () => {
          const ticks = mid + sign * (1 + next(next(2) === 0 ? SPAN : 500));
          return [Math.round(ticks) / (1 / TICK), next(3)];
        }).flat(),
      );
    // What the touch has passed is gone, as at a venue.
    const passed = (
      held: Map<number, number>,
      isPassed: (price: number) => boolean,
    ): Float64Array =>
      Float64Array.from([...held.keys()].filter(isPassed).flatMap((price) => [price, 0]));
    const gone = {
      bids: passed(naive.bids, (price) => price >= mid * TICK),
      asks: passed(naive.asks, (price) => price <= mid * TICK),
    };
    const changes = { bids: levels(-1), asks: levels(1) };
    for (const change of [gone, changes]) {
      book.apply(change);
      naive.apply(change);
    }
    if (frame % 50 !== 0) continue;
    for (const side of ["bids", "asks"] as const) {
      expect([...book[side].top(100_000)]).toEqual(naive.levels(side));
    }
    cursor.rewind();
    expect(cursor.next() ? cursor.price : undefined).toBe(naive.levels("bids")[0]);
  }
  expect(book.bids.size).toBeGreaterThan(2_000);
});
