import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { plan, type PlanInput, type PlannedQuote } from "../../src/execution/planner.ts";
import type { TrackedOrder } from "../../src/orders/tracked-order.ts";
import { anOrder } from "./an-order.ts";

function quote(price: number, size = "1"): PlannedQuote {
  return { price, size: fixed(size) };
}

function planOf(input: Partial<PlanInput>) {
  return plan({
    bids: [],
    asks: [],
    tolerance: 0,
    sizeTolerance: 0,
    mid: 100,
    orders: [],
    ...input,
  });
}

/** The plan in one line each: what is kept at which price for which quote, canceled and placed. */
function said(input: Partial<PlanInput>) {
  const made = planOf(input);
  return {
    keep: made.keep.map(({ order, quote: kept }) => `${order.price} for ${kept.price}`),
    cancel: made.cancel.map(({ order, reason }) => `${order.price} ${reason}`),
    place: made.place.map(
      (target) =>
        `${target.side} ${target.price}${target.replaces ? " replaces" : ""} #${target.rank}`,
    ),
  };
}

describe("planner", () => {
  it("places what is missing, nearest the touch first, the sides in turn", () => {
    expect(said({ bids: [quote(98), quote(99)], asks: [quote(102), quote(101)] })).toEqual({
      keep: [],
      cancel: [],
      place: ["BUY 99 #0", "SELL 101 #0", "BUY 98 #1", "SELL 102 #1"],
    });
  });

  it("keeps an order at the very edge of the tolerance and replaces one beyond it", () => {
    const input = { bids: [quote(100)], tolerance: 0.001, mid: 100 };
    expect(said({ ...input, orders: [anOrder({ price: 100.1 })] })).toEqual({
      keep: ["100.1 for 100"],
      cancel: [],
      place: [],
    });
    expect(said({ ...input, orders: [anOrder({ price: 100.11 })] })).toEqual({
      keep: [],
      cancel: ["100.11 price"],
      place: ["BUY 100 replaces #0"],
    });
  });

  it("keeps exact orders and cancels the one that is left over", () => {
    const orders = [anOrder({ price: 99 }), anOrder({ price: 99 }), anOrder({ price: 98 })];
    expect(said({ bids: [quote(98), quote(99)], orders })).toEqual({
      keep: ["99 for 99", "98 for 98"],
      cancel: ["99 surplus"],
      place: [],
    });
  });

  it("compares what remains, not what was ordered, with the wanted size", () => {
    const order = anOrder({ quantity: "1", executed: "0.4" });
    expect(said({ bids: [quote(100, "0.5")], orders: [order] }).cancel).toEqual(["100 size"]);
    expect(said({ bids: [quote(100, "0.6")], orders: [order] }).keep).toEqual(["100 for 100"]);
    const half = { bids: [quote(100, "0.5")], orders: [order] };
    expect(said({ ...half, sizeTolerance: 0.2 }).keep).toEqual(["100 for 100"]);
    expect(said({ ...half, sizeTolerance: 0.19 }).cancel).toEqual(["100 size"]);
  });

  describe("a partly filled order that its quote wants larger", () => {
    const begun = (): TrackedOrder => anOrder({ quantity: "1", executed: "0.4" });
    const kept = ["100 for 100"];
    const fill = (size: string) => [{ price: 100, size: fixed(size) }];

    it("keeps its place, and a second order has the rest", () => {
      const made = planOf({ bids: [quote(100)], orders: [begun()] });
      expect(made.place).toMatchObject(fill("0.4"));
      expect(made).toMatchObject({ cancel: [], keep: [{ quote: made.place[0]?.quote }] });
    });

    it("gets none within the tolerance or below the smallest order, nor for a quote that places nothing", () => {
      const one = { bids: [quote(100)], orders: [begun()] };
      expect(said({ ...one, sizeTolerance: 0.4 })).toEqual({ keep: kept, cancel: [], place: [] });
      const atLeast = (size: string) => planOf({ ...one, minSizeAt: () => fixed(size) }).place;
      expect(atLeast("0.4")).toMatchObject(fill("0.4"));
      expect(atLeast("0.41")).toEqual([]);
    });

    it("keeps the second one while the two are as large as wanted, even when that one alone is within the tolerance", () => {
      const first = anOrder({ quantity: "1", executed: "0.95" });
      const second = anOrder({ quantity: "0.95", executed: "0" });
      const orders = [first, second];
      const both = { keep: [...kept, ...kept], cancel: [], place: [] };
      expect(said({ bids: [quote(100)], sizeTolerance: 0.1, orders })).toEqual(both);
    });

    it("has no third one: as the first is filled further, the second is replaced", () => {
      const orders = [anOrder({ quantity: "1", executed: "0.7" }), anOrder({ quantity: "0.4" })];
      const made = planOf({ bids: [quote(100)], orders });
      expect(made.keep.map(({ order }) => order)).toEqual([orders[0]]);
      expect(made.cancel.map(({ order, reason }) => [order, reason])).toEqual([
        [orders[1], "size"],
      ]);
      expect(made.place).toMatchObject(fill("0.7"));
      const two = [anOrder({ quantity: "1", executed: "0.7" }), anOrder({ executed: "0.8" })];
      const of = planOf({ bids: [quote(100)], orders: two });
      expect(of.keep.map(({ order }) => order)).toEqual([two[0]]);
      expect(of.place).toMatchObject(fill("0.7"));
    });

    it("is replaced when its price is off, and when it is too large", () => {
      expect(said({ bids: [quote(101)], orders: [begun()] }).cancel).toEqual(["100 price"]);
      expect(said({ bids: [quote(100, "0.3")], orders: [begun()] }).cancel).toEqual(["100 size"]);
    });

    it("takes the nearest quote, so that other levels keep their orders", () => {
      const orders = [anOrder({ price: 99 }), begun()];
      const made = said({ bids: [quote(100), quote(99)], tolerance: 0.02, orders });
      expect(made.cancel).toEqual([]);
      expect(made.keep.toSorted()).toEqual(["100 for 100", "99 for 99"]);
      expect(made.place).toHaveLength(1);
    });
  });

  it("leaves the other levels alone when one moves", () => {
    const orders = [anOrder({ price: 99 }), anOrder({ price: 98 }), anOrder({ price: 97 })];
    expect(said({ bids: [quote(99), quote(98.5), quote(97)], orders })).toEqual({
      keep: ["99 for 99", "97 for 97"],
      cancel: ["98 price"],
      place: ["BUY 98.5 replaces #1"],
    });
  });

  it("cancels an order in doubt by its id, and places its quote anew", () => {
    expect(said({ bids: [quote(100)], orders: [anOrder({ phase: "unknown" })] })).toEqual({
      keep: [],
      cancel: ["100 in doubt"],
      place: ["BUY 100 replaces #0"],
    });
  });

  it("lets an order in flight serve its quote, and cancels one that does not fit by its id", () => {
    const inFlight = anOrder({ phase: "in-flight" });
    expect(said({ bids: [quote(100)], orders: [inFlight] }).keep).toEqual(["100 for 100"]);
    expect(said({ bids: [quote(99)], orders: [inFlight] }).cancel).toEqual(["100 price"]);
  });

  it("cannot cancel an order whose id is not known yet, but counts it", () => {
    const unsigned = anOrder({ phase: "in-flight", orderId: undefined });
    expect(said({ bids: [quote(99)], orders: [unsigned] })).toEqual({
      keep: [],
      cancel: [],
      place: ["BUY 99 #0"],
    });
    expect(said({ bids: [quote(100)], orders: [unsigned] }).keep).toEqual(["100 for 100"]);
  });

  it.each(["in-flight", "accepted", "unknown", "refused"] as const)(
    "neither keeps nor cancels again what has a cancel that is %s",
    (cancel) => {
      expect(said({ bids: [quote(100)], orders: [anOrder({ cancel })] })).toEqual({
        keep: [],
        cancel: [],
        place: ["BUY 100 replaces #0"],
      });
    },
  );

  it("passes over ended orders and keeps the sides apart", () => {
    const orders = [anOrder({ phase: "ended" }), anOrder({ side: "SELL", price: 100 })];
    expect(said({ bids: [quote(100)], orders })).toEqual({
      keep: [],
      cancel: ["100 withdrawn"],
      place: ["BUY 100 #0"],
    });
  });

  it("cancels the most dangerous first: highest bids, lowest asks", () => {
    const orders: TrackedOrder[] = [
      anOrder({ price: 98 }),
      anOrder({ price: 99.5 }),
      anOrder({ side: "SELL", price: 103 }),
      anOrder({ side: "SELL", price: 101 }),
    ];
    expect(planOf({ orders }).cancel.map(({ order }) => order.price)).toEqual([99.5, 101, 98, 103]);
  });

  it("marks as many replacements as orders make way", () => {
    const orders = [anOrder({ price: 95 })];
    expect(said({ bids: [quote(99), quote(98)], orders }).place).toEqual([
      "BUY 99 replaces #0",
      "BUY 98 #1",
    ]);
  });

  it("stays exact without a mid, whatever the tolerance", () => {
    const orders = [anOrder({ price: 100 }), anOrder({ price: 99 })];
    expect(said({ bids: [quote(100), quote(99.1)], tolerance: 1, mid: 0, orders })).toEqual({
      keep: ["100 for 100"],
      cancel: ["99 price"],
      place: ["BUY 99.1 replaces #1"],
    });
  });

  it("handles a huge ladder with a wide tolerance in one step", () => {
    const bids = Array.from({ length: 300 }, (_, level) => quote(1000 - level));
    const orders = Array.from({ length: 300 }, (_, level) => anOrder({ price: 1000.4 - level }));
    const made = planOf({ bids, orders, tolerance: 0.05, mid: 1000 });
    expect(made.keep).toHaveLength(300);
    expect(made.keep.every((kept) => Math.abs(kept.order.price - kept.quote.price) < 0.41)).toBe(
      true,
    );
  });

  describe("with modify", () => {
    const mayModify = (order: TrackedOrder): boolean => order.executed === 0n;
    const modified = (input: Partial<PlanInput>) =>
      planOf({ mayModify, ...input }).place.map(
        ({ price, modifies }) =>
          `${modifies?.order.price ?? "new"} → ${price}${modifies?.mayWait === true ? " may wait" : ""}`,
      );

    it("moves an order in one command, one that is less exposed than its quote in its own time", () => {
      expect(modified({ bids: [quote(99)], orders: [anOrder({ price: 98 })] })).toEqual([
        "98 → 99 may wait",
      ]);
      expect(modified({ bids: [quote(98)], orders: [anOrder({ price: 99 })] })).toEqual([
        "99 → 98",
      ]);
      expect(
        modified({ bids: [quote(99)], orders: [anOrder({ quantity: "2", price: 99 })] }),
      ).toEqual(["99 → 99"]);
      const asks = [quote(101)];
      expect(modified({ asks, orders: [anOrder({ side: "SELL", price: 102 })] })).toEqual([
        "102 → 101 may wait",
      ]);
    });

    it("moves the nearest for the nearest, cancels and places what is over", () => {
      const orders = [anOrder({ price: 97 }), anOrder({ price: 98 })];
      expect(modified({ bids: [quote(95), quote(96), quote(94)], orders })).toEqual([
        "98 → 96",
        "97 → 95",
        "new → 94",
      ]);
      const made = planOf({ bids: [quote(96)], orders, mayModify });
      expect(made.place.map(({ modifies }) => modifies?.order.price)).toEqual([98]);
      expect(made.cancel.map(({ order }) => order.price)).toEqual([97]);
    });

    it("moves nothing for a quote that is not to be placed", () => {
      const order = anOrder({ price: 98 });
      const made = planOf({ bids: [{ ...quote(99), placed: true }], orders: [order], mayModify });
      expect(made.cancel).toEqual([{ order, reason: "price" }]);
    });
  });
});
