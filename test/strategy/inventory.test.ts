import { expect, test } from "vitest";
import { inventoryDeviation, reservationPrice, sizeSkew } from "../../src/strategy/inventory.ts";

const held = { base: 8, quote: 4000, price: 2000, range: 6 };

test("the deviation is measured against a share of the value or an amount, and bounded", () => {
  // 8 base and 2 base's worth of quote: half of it is 5.
  expect(inventoryDeviation({ ...held, target: { share: 0.5 } })).toBe(0.5);
  expect(inventoryDeviation({ ...held, target: { share: 0.8 } })).toBe(0);
  expect(inventoryDeviation({ ...held, target: { base: 11 } })).toBe(-0.5);
  expect(inventoryDeviation({ ...held, target: { base: 100 } })).toBe(-1);
  expect(inventoryDeviation({ ...held, target: { base: 0 } })).toBe(1);
});

test("a range of nothing is all or none", () => {
  expect(inventoryDeviation({ ...held, range: 0, target: { base: 7 } })).toBe(1);
  expect(inventoryDeviation({ ...held, range: 0, target: { base: 8 } })).toBe(0);
});

test("both sides' weights add up to two", () => {
  expect([sizeSkew("BUY", 1, 1), sizeSkew("SELL", 1, 1)]).toEqual([0, 2]);
  expect([sizeSkew("BUY", -0.5, 0.5), sizeSkew("SELL", -0.5, 0.5)]).toEqual([1.25, 0.75]);
});

test("the centre goes down when long", () => {
  expect(reservationPrice(2000, 0.5, 4)).toBe(1998);
  expect(reservationPrice(2000, -1, 4)).toBe(2004);
});
