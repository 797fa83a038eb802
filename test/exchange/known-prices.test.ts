import { expect, test } from "vitest";
import { KnownPrices } from "../../src/exchange/known-prices.ts";

test("knows prices up to a book's last level and those that events named, each new once, and those where the other side was", () => {
  const known = new KnownPrices("BUY");
  expect([known.has(999), known.name(999), known.name(999), known.has(999)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  known.coverUpTo(1000);
  expect([999, 1000, 1001].map((price) => known.has(price))).toEqual([false, true, true]);
  known.coverUpTo(undefined);
  expect(known.has(1)).toBe(true);
  known.forgetAll();
  expect(known.has(1001)).toBe(false);
  // An ask at 1001; one at 1002 proves no more.
  known.coverBeyond(1001);
  known.coverBeyond(1002);
  expect([1000, 1001, 1002].map((price) => known.has(price))).toEqual([false, true, true]);
});

test("keeps a bounded number of names, and then counts a side as known", () => {
  const known = new KnownPrices("SELL");
  for (let price = 1; price <= 262_144; price += 1) known.name(price);
  expect(known.has(500_000)).toBe(false);
  known.name(262_145);
  expect(known.has(500_000)).toBe(true);
});
