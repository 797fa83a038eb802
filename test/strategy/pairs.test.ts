import { expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { followPairs, forgetFar, hangingQuotes, newPairs } from "../../src/strategy/pairs.ts";
import type { OwnFill, OwnOrder } from "../../src/strategy/view.ts";

const one = new Decimal(1);
const zero = new Decimal(0);
const order = (id: number, side: Side, price: number, key: string, isLeaving = false): OwnOrder => {
  const [remaining, executed] = [one, zero];
  return {
    id,
    key,
    side,
    price,
    remaining,
    executed,
    ageMs: 0,
    queueAhead: undefined,
    isWorking: !isLeaving,
    isLeaving,
  };
};
const fillOf = (id: number, side: Side, key: string, isComplete = true): OwnFill => {
  return {
    order: id,
    key,
    isComplete,
    role: "quote",
    side,
    price: one,
    quantity: one,
    isMaker: true,
    timeMs: unixMs(1),
  };
};
const orders = [
  order(1, "BUY", 98, "2"),
  order(2, "BUY", 99, "1"),
  order(3, "SELL", 102, "2"),
  order(4, "SELL", 101, "1"),
];
const without = (...ids: number[]) => orders.filter(({ id }) => !ids.includes(id));

interface Turn {
  readonly orders: readonly OwnOrder[];
  readonly fills?: readonly OwnFill[];
  readonly base?: number;
  readonly averagePrice?: number;
}

function followed(...turns: readonly Turn[]) {
  const pairs = newPairs();
  for (const { orders: now, fills = [], base = 0, averagePrice } of turns) {
    const position = {
      base: new Decimal(base),
      averagePrice: averagePrice === undefined ? undefined : new Decimal(averagePrice),
      realisedPnl: zero,
      unrealisedPnl: undefined,
    };
    followPairs(pairs, { orders: now, fills, position, makerFee: 0.001 }, 10);
  }
  return pairs;
}

test("the bid and the ask of a level are a pair", () => {
  expect(followed({ orders: without(2), fills: [fillOf(2, "BUY", "1")] }).hanging).toEqual([4]);
  expect(followed({ orders: without(3), fills: [fillOf(3, "SELL", "2")] }).hanging).toEqual([1]);
});

test("a pair survives partial fills, and all orders of the other half hang", () => {
  const rest = order(5, "BUY", 99, "1");
  const part = { orders: [...orders, rest], fills: [fillOf(2, "BUY", "1", false)] };
  expect(followed(part).hanging).toEqual([]);
  const whole = { orders: [...without(2), rest], fills: [fillOf(2, "BUY", "1")] };
  expect(followed(part, whole).hanging).toEqual([4]);
  const twoAsks = [...without(2), order(6, "SELL", 101, "1")];
  expect(followed({ orders: twoAsks, fills: [fillOf(2, "BUY", "1")] }).hanging).toEqual([4, 6]);
});

test("nothing hangs for less than the position cost with the fee, neither now nor later", () => {
  const filled = { orders: without(2), fills: [fillOf(2, "BUY", "1")], base: 2 };
  expect(followed({ ...filled, averagePrice: 100.8 }).hanging).toEqual([4]);
  expect(followed({ ...filled, averagePrice: 100.95 }).hanging).toEqual([]);
  const later = { orders: without(2), base: 3, averagePrice: 103 };
  expect(followed({ ...filled, averagePrice: 100 }, later).hanging).toEqual([]);
  const short = { orders: without(4), fills: [fillOf(4, "SELL", "1")], base: -1 };
  expect(followed({ ...short, averagePrice: 99.5 }).hanging).toEqual([2]);
  expect(followed({ ...short, averagePrice: 99.05 }).hanging).toEqual([]);
});

test("nothing hangs when both are filled, when the other is leaving, or for a fill of another level", () => {
  const both = [fillOf(2, "BUY", "1"), fillOf(4, "SELL", "1")];
  expect(followed({ orders: without(2, 4), fills: both }).hanging).toEqual([]);
  const leaving = [...without(2, 4), order(4, "SELL", 101, "1", true)];
  expect(followed({ orders: leaving, fills: [fillOf(2, "BUY", "1")] }).hanging).toEqual([]);
  expect(followed({ orders, fills: [fillOf(9, "BUY", "3")] }).hanging).toEqual([]);
});

test("a hanging order that is filled itself lets nothing else hang", () => {
  const bid = order(7, "BUY", 99, "1");
  const pairs = followed(
    { orders: without(2), fills: [fillOf(2, "BUY", "1")] },
    { orders: [...without(2, 4), bid], fills: [fillOf(4, "SELL", "1")] },
  );
  expect(pairs.hanging).toEqual([]);
});

test("hanging orders are quotes of their own until they are too far", () => {
  const pairs = followed({ orders: without(2), fills: [fillOf(2, "BUY", "1")] });
  expect(hangingQuotes(pairs, { orders }, "SELL")).toEqual([{ price: 101, size: one, order: 4 }]);
  expect(hangingQuotes(pairs, { orders }, "BUY")).toEqual([]);
  expect(forgetFar(pairs, { orders }, 100, 1)).toEqual([]);
  expect(forgetFar(pairs, { orders }, 99.9, 1)).toEqual([4]);
  expect(pairs.hanging).toEqual([]);
});
