import { expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { followPairs, forgetFar, hangingQuotes, newPairs } from "../../src/strategy/pairs.ts";
import type { OwnFill, OwnOrder } from "../../src/strategy/view.ts";

const one = new Decimal(1);
const order = (id: number, side: Side, price: number, isLeaving = false): OwnOrder => {
  const [remaining, executed] = [one, one.minus(one)];
  return {
    id,
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
const fillOf = (id: number, side: Side): OwnFill => {
  return {
    order: id,
    role: "quote",
    side,
    price: one,
    quantity: one,
    isMaker: true,
    timeMs: unixMs(1),
  };
};
const orders = [
  order(1, "BUY", 98),
  order(2, "BUY", 99),
  order(3, "SELL", 102),
  order(4, "SELL", 101),
];
const without = (...ids: number[]) => orders.filter(({ id }) => !ids.includes(id));

function followed(...turns: { orders: readonly OwnOrder[]; fills?: readonly OwnFill[] }[]) {
  const pairs = newPairs();
  for (const { orders: now, fills = [] } of turns) followPairs(pairs, { orders: now, fills }, 10);
  return pairs;
}

test("the n-th bid and the n-th ask are a pair, best first", () => {
  const best = followed({ orders }, { orders: without(2), fills: [fillOf(2, "BUY")] });
  expect(best.hanging).toEqual([4]);
  expect(best.ladder).toEqual({ BUY: [1], SELL: [3] });
  const second = followed({ orders }, { orders: without(3), fills: [fillOf(3, "SELL")] });
  expect(second.hanging).toEqual([1]);
});

test("nothing hangs when both are filled, when the other is leaving, or for a fill of an unknown order", () => {
  const both = [fillOf(2, "BUY"), fillOf(4, "SELL")];
  expect(followed({ orders }, { orders: without(2, 4), fills: both }).hanging).toEqual([]);
  const leaving = [...without(2, 4), order(4, "SELL", 101, true)];
  expect(followed({ orders }, { orders: leaving, fills: [fillOf(2, "BUY")] }).hanging).toEqual([]);
  expect(followed({ orders }, { orders, fills: [fillOf(9, "BUY")] }).hanging).toEqual([]);
});

test("a hanging order that is filled itself lets nothing else hang", () => {
  const pairs = followed(
    { orders },
    { orders: without(2), fills: [fillOf(2, "BUY")] },
    { orders: without(2, 4), fills: [fillOf(4, "SELL")] },
  );
  expect(pairs.hanging).toEqual([]);
});

test("hanging orders are quotes of their own until they are too far", () => {
  const pairs = followed({ orders }, { orders: without(2), fills: [fillOf(2, "BUY")] });
  expect(hangingQuotes(pairs, { orders }, "SELL")).toEqual([{ price: 101, size: one, order: 4 }]);
  expect(hangingQuotes(pairs, { orders }, "BUY")).toEqual([]);
  expect(forgetFar(pairs, { orders }, 100, 1)).toEqual([]);
  expect(forgetFar(pairs, { orders }, 99.9, 1)).toEqual([4]);
  expect(pairs.hanging).toEqual([]);
});
