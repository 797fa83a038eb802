import { expect, test } from "vitest";
import { type Decision, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { cancelsOf, Harness, placesOf } from "./harness.ts";

/** A working bid at 1998, and a strategy that then makes the test's decision. */
function withWorkingBid(then: (view: MarketView) => Decision) {
  let next: (view: MarketView) => Decision = () => {
    return setQuotes({ bids: [{ price: 1998, size: "1" }] });
  };
  const seen: MarketView["fills"][number][] = [];
  const harness = new Harness({
    decide(view) {
      seen.push(...view.fills);
      return next(view);
    },
  });
  const intent = placesOf(harness.begin())[0]?.intent ?? 0;
  harness.step(harness.accepted(intent), harness.event(intent, "NEW"));
  next = then;
  return { harness, intent, seen };
}

test("an order that a quote names stays at its price", () => {
  const { harness, intent } = withWorkingBid((view) =>
    setQuotes({ bids: view.orders.map(({ id }) => ({ price: 1900, size: "3", order: id })) }),
  );
  const effects = harness.after(10, harness.depth(101, [1999, 4], []));
  expect([placesOf(effects), cancelsOf(effects)]).toEqual([[], []]);
  expect(harness.ids.get(intent)).toBeDefined();
});

test("a dropped order is canceled although it fits, and placed again", () => {
  let drops = 0;
  const { harness, intent } = withWorkingBid((view) => {
    drops += 1;
    return setQuotes({
      bids: [{ price: 1998, size: "1" }],
      drop: drops === 1 ? view.orders.map(({ id }) => id) : [],
    });
  });
  const effects = harness.after(10, harness.depth(101, [1999, 4], []));
  expect(cancelsOf(effects)).toEqual([harness.ids.get(intent)]);
  expect(placesOf(effects).map(({ price }) => price)).toEqual([1998]);
});

test("a quote with place: false keeps a fitting order and places none", () => {
  const { harness, intent } = withWorkingBid(() =>
    setQuotes({
      bids: [1998, 1997].map((price) => ({ price, size: "1", place: false })),
      asks: [{ price: 2002, size: "1" }],
    }),
  );
  const effects = harness.after(10, harness.depth(101, [1999, 4], []));
  expect(cancelsOf(effects)).toEqual([]);
  expect(placesOf(effects).map(({ side }) => side)).toEqual(["SELL"]);
  expect(harness.ids.get(intent)).toBeDefined();
});

test("fills and orders have the same id, and the fees are numbers", () => {
  const fees: number[] = [];
  const { harness, intent, seen } = withWorkingBid((view) => {
    fees.push(view.makerFee, view.takerFee);
    expect(view.orders.map(({ id, isLeaving }) => [id, isLeaving])).toEqual([[intent, false]]);
    return setQuotes({ bids: [{ price: 1998, size: "0.6" }] });
  });
  harness.after(10, harness.event(intent, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "t1" }));
  expect(seen.map(({ order, side }) => [order, side])).toEqual([[intent, "BUY"]]);
  expect(fees.slice(0, 2)).toEqual([0.0002, 0.0005]);
});
