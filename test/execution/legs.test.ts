import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { plan, type PlannedQuote } from "../../src/execution/planner.ts";
import type { TrackedOrder } from "../../src/orders/tracked-order.ts";
import { anOrder } from "./an-order.ts";

/** Quotes with take profit and stop loss, compared with resting orders. */

const tpsl = { tpLimit: 105, slTrigger: 95, slLimit: 94 };
const quote = (legs: PlannedQuote["tpsl"], price = 100): PlannedQuote => ({
  price,
  size: fixed("1"),
  tpsl: legs,
});

function said(quotes: readonly PlannedQuote[], orders: readonly TrackedOrder[], tolerance = 0) {
  const mayModify = () => true;
  const options = { tolerance, sizeTolerance: 0, mid: 100, mayModify };
  const made = plan({ bids: quotes, asks: [], orders, ...options });
  return {
    keep: made.keep.length,
    cancel: made.cancel.map(({ reason }) => reason),
    place: made.place.map(({ modifies }) => (modifies === undefined ? "new" : "modify")),
  };
}

const kept = { keep: 1, cancel: [], place: [] };
const replaced = { keep: 0, cancel: ["legs"], place: ["new"] };

describe("a quote with take profit and stop loss", () => {
  it("is served by an order whose legs are near enough, each of them", () => {
    const order = anOrder({ tpsl });
    expect(said([quote(tpsl)], [order])).toEqual(kept);
    expect(said([quote({ ...tpsl })], [order])).toEqual(kept);
    for (const key of ["tpLimit", "slTrigger", "slLimit"] as const) {
      const off = quote({ ...tpsl, [key]: tpsl[key] + 0.2 });
      expect(said([off], [order], 0.001)).toEqual(replaced);
      expect(said([off], [order], 0.002)).toEqual(kept);
    }
    expect(said([quote({ ...tpsl, slLimit: undefined })], [order], 0.5)).toEqual(replaced);
  });

  it("is not served by a plain order, nor made of one by a modify, nor the other way round", () => {
    expect(said([quote(tpsl)], [anOrder()])).toEqual(replaced);
    expect(said([quote(undefined)], [anOrder({ tpsl })])).toMatchObject({ cancel: [], keep: 0 });
    expect(said([quote(tpsl, 90)], [anOrder()])).toEqual({
      keep: 0,
      cancel: ["price"],
      place: ["new"],
    });
    // The plain quote may be.
    expect(said([quote(undefined, 90)], [anOrder()])).toMatchObject({ place: ["modify"] });
  });

  it("is served by one that is filled in part, whose whole size is wanted", () => {
    expect(said([quote(tpsl)], [anOrder({ tpsl, executed: "0.7" })])).toEqual(kept);
    // A plain one keeps its place beside a second one for the rest.
    const plain = said([quote(undefined)], [anOrder({ executed: "0.7" })]);
    expect(plain).toEqual({ keep: 1, cancel: [], place: ["new"] });
    expect(said([quote(tpsl)], [anOrder({ executed: "0.7" })])).toMatchObject({ keep: 0 });
  });

  it("is not served by one whose legs its owner canceled", () => {
    const order = anOrder({ tpsl });
    const leg = anOrder({ leg: "takeProfit", phase: "pending" });
    const gone = anOrder({ leg: "stopLoss", phase: "ended" });
    order.bracket = { working: order, takeProfit: leg, stopLoss: gone };
    expect(said([quote(tpsl)], [order])).toEqual(replaced);
  });
});
