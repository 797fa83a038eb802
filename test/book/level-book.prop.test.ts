import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LevelBook } from "../../src/book/level-book.ts";
import { priceTiers, tickAt } from "../../src/domain/grid-rules.ts";
import { NaiveBook } from "./naive-book.ts";
import { runs } from "../support/soak.ts";

/** Prices of every kind that a book may meet. */
const nearTierEdges = fc
  .tuple(fc.constantFrom(...priceTiers.map((tier) => tier.from)), fc.integer({ min: -40, max: 40 }))
  .map(([edge, ticks]) => {
    const tick = ticks < 0 ? tickAt(edge * 0.99) : tickAt(edge);
    const decimals = Math.max(0, -Math.round(Math.log10(tick)));
    return Number((edge + ticks * tick).toFixed(decimals));
  })
  .filter((price) => price > 0);
const recorded = fc
  .integer({ min: 6_150_000, max: 6_190_000 })
  .map((cents) => Number((cents / 100).toFixed(2)));
const smallest = fc.integer({ min: 1, max: 400 }).map((units) => units / 1e8);
const tenDollarGrid = fc.integer({ min: 10_000, max: 99_999 }).map((units) => units * 10);
const anyDouble = fc.double({ min: 1e-9, max: 1e9, noNaN: true });

const quantity = fc.oneof(
  { arbitrary: fc.constant(0), weight: 2 },
  { arbitrary: fc.integer({ min: 1, max: 1e9 }).map((units) => units / 1e5), weight: 3 },
);

function levelsOf(price: fc.Arbitrary<number>, maxLength: number) {
  return fc
    .array(fc.tuple(price, quantity), { maxLength })
    .map((levels) => Float64Array.from(levels.flat()));
}

function eventsOf(price: fc.Arbitrary<number>) {
  const side = levelsOf(price, 40);
  return fc.array(fc.record({ bids: side, asks: side }), { minLength: 1, maxLength: 30 });
}

function expectSame(book: LevelBook, naive: NaiveBook): void {
  for (const side of ["bids", "asks"] as const) {
    const expected = naive.levels(side);
    expect([...book[side].top(book[side].size)]).toEqual(expected);
    expect(book[side].size).toBe(expected.length / 2);
    expect(book[side].bestPrice).toBe(expected[0]);
    expect(book[side].bestQuantity).toBe(expected[1] ?? 0);
    expect([...book[side].top(3)]).toEqual(expected.slice(0, 6));
    for (let at = 0; at < Math.min(expected.length, 20); at += 2) {
      expect(book[side].quantityAt(expected[at] ?? 0)).toBe(expected[at + 1]);
    }
  }
}

describe("the book equals a naive book", () => {
  const kinds = {
    "at tier edges": nearTierEdges,
    "at recorded prices": recorded,
    "at the smallest prices": smallest,
    "above 100000": tenDollarGrid,
    "at any doubles": anyDouble,
    "at all of them mixed": fc.oneof(nearTierEdges, recorded, smallest, tenDollarGrid, anyDouble),
  };
  for (const [name, price] of Object.entries(kinds)) {
    test(name, () => {
      fc.assert(
        fc.property(eventsOf(price), (events) => {
          const book = new LevelBook();
          const naive = new NaiveBook();
          for (const event of events) {
            book.apply(event);
            naive.apply(event);
            expectSame(book, naive);
          }
        }),
        runs(60),
      );
    });
  }

  test("when hundreds of levels change at once, in any order and twice", () => {
    const price = kinds["at all of them mixed"];
    const many = fc
      .array(fc.tuple(price, quantity), { minLength: 150, maxLength: 400 })
      .chain((levels) => fc.shuffledSubarray([...levels, ...levels], { minLength: 140 }))
      .map((levels) => Float64Array.from(levels.flat()));
    fc.assert(
      fc.property(fc.array(many, { minLength: 2, maxLength: 5 }), (sides) => {
        const book = new LevelBook();
        const naive = new NaiveBook();
        for (const levels of sides) {
          const sorted = Float64Array.from(
            pairs(levels)
              .toSorted(([left = 0], [right = 0]) => right - left)
              .flat(),
          );
          for (const event of [
            { bids: levels, asks: sorted },
            { bids: sorted, asks: levels.slice(0, 8) },
          ]) {
            book.apply(event);
            naive.apply(event);
            expectSame(book, naive);
          }
        }
        book.load(book.levels());
        expectSame(book, naive);
      }),
      runs(40),
    );
  });

  test("while the market walks far beyond the window, with a snapshot in between", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -30_000, max: 30_000 }), { minLength: 3, maxLength: 12 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60_000 }), quantity), { maxLength: 60 }),
        (steps, around) => {
          const book = new LevelBook();
          const naive = new NaiveBook();
          let centre = 6_000_000;
          for (const [at, step] of steps.entries()) {
            centre += step;
            const make = (sign: number) =>
              Float64Array.from(
                around.flatMap(([ticks, size]) => [(centre + sign * ticks) / 100, size]),
              );
            // What the market ran through is gone, as a venue would say.
            const gone = { bids: above(naive.bids, centre), asks: below(naive.asks, centre) };
            for (const event of [gone, { bids: make(-1), asks: make(1) }]) {
              book.apply(event);
              naive.apply(event);
              expectSame(book, naive);
            }
            if (at === 1) book.load(book.levels());
          }
        },
      ),
      runs(60),
    );
  });
});

function pairs(levels: Float64Array): number[][] {
  return Array.from({ length: levels.length / 2 }, (_, at) => [
    ...levels.subarray(2 * at, 2 * at + 2),
  ]);
}

function above(levels: ReadonlyMap<number, number>, cents: number) {
  return Float64Array.from(
    [...levels.keys()].filter((price) => price * 100 >= cents).flatMap((price) => [price, 0]),
  );
}

function below(levels: ReadonlyMap<number, number>, cents: number) {
  return Float64Array.from(
    [...levels.keys()].filter((price) => price * 100 <= cents).flatMap((price) => [price, 0]),
  );
}
