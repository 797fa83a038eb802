import { expect, it } from "vitest";
import { BookSide } from "../../src/book/book-side.ts";

/** Prices of no common tick, more than the window's rules put up with at once. */
const odd = (count: number): number[] =>
  Array.from({ length: count }, (_, at) => [100 + Math.sqrt(2) * (at + 1), 1]).flat();

it("a book of prices that no tick fits is held all the same, loaded or applied", () => {
  const side = new BookSide("asks");
  side.apply(Float64Array.from(odd(5_000)));
  expect(side.size).toBe(5_000);
  side.load(Float64Array.from(odd(10_000)));
  expect(side.size).toBe(10_000);
  expect(side.bestPrice).toBe(100 + Math.sqrt(2));
  for (const [at, price] of odd(300).entries()) {
    if (at % 2 === 0) side.apply(Float64Array.of(price + 0.1 / 3, 2));
  }
  expect(side.size).toBe(10_300);
});

it("a deep book with one price in a hundred off its tick, too", () => {
  const side = new BookSide("bids");
  const levels = Array.from({ length: 20_000 }, (_, at) => [
    at % 100 === 0 ? 50_000 - at - 0.123_456_78 : 50_000 - at,
    1,
  ]).flat();
  side.load(Float64Array.from(levels));
  side.apply(Float64Array.of(50_001, 1));
  expect([side.size, side.bestPrice]).toEqual([20_001, 50_001]);
});
