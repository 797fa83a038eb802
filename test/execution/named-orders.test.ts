import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { plan, type PlannedQuote } from "../../src/execution/planner.ts";
import { anOrder } from "./an-order.ts";

const quote = (price: number, order?: number): PlannedQuote => ({
  price,
  size: fixed("1"),
  order,
});
const limits = { asks: [], tolerance: 0, sizeTolerance: 0, mid: 100.5 };

describe("quotes that name their order", () => {
  test("keep it whatever it fits, and leave the others to the others", () => {
    const far = anOrder({ price: 90, quantity: "7" });
    const near = anOrder({ price: 100 });
    const made = plan({
      ...limits,
      bids: [quote(99, far.intent), quote(100)],
      orders: [far, near],
    });
    expect(made.keep.map(({ order }) => order)).toEqual([far, near]);
    expect(made.cancel).toEqual([]);
    expect(made.place).toEqual([]);
  });

  test.each([
    ["gone", "none", "ended"],
    ["leaving", "accepted", "working"],
  ] as const)("place nothing instead of one that is %s", (_, cancel, phase) => {
    const order = anOrder({ cancel, phase });
    const made = plan({ ...limits, bids: [quote(100, order.intent)], orders: [order] });
    expect(made).toEqual({ keep: [], cancel: [], place: [] });
  });

  test("an order serves one quote even when two name it", () => {
    const order = anOrder();
    const bids = [quote(100, order.intent), quote(99, order.intent)];
    const made = plan({ ...limits, bids, orders: [order] });
    expect(made.keep).toHaveLength(1);
    expect(made.place).toEqual([]);
  });
});

describe("orders to drop", () => {
  test("go although they fit, and what comes instead replaces them", () => {
    const old = anOrder();
    const made = plan({ ...limits, bids: [quote(100)], orders: [old], drop: [old.intent] });
    expect(made.keep).toEqual([]);
    expect(made.cancel).toEqual([{ order: old, reason: "dropped" }]);
    expect(made.place).toMatchObject([{ price: 100, replaces: true }]);
  });

  test("unknown names and orders that are leaving anyway are passed over", () => {
    const leaving = anOrder({ cancel: "in-flight" });
    const made = plan({ ...limits, bids: [], orders: [leaving], drop: [leaving.intent, 999_999] });
    expect(made.cancel).toEqual([]);
  });
});
