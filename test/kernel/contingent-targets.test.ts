import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Decision,
  defineStrategy,
  keepQuotes,
  setQuotes,
  type WantedStop,
} from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { tryStrategy } from "../../src/testing/index.ts";

/** A strategy at the real exchange in virtual time. The test sets its decision; `view` is the view of its last decision. */
async function scripted(target: { say: Decision }) {
  const seen: { view: MarketView | undefined } = { view: undefined };
  const definition = defineStrategy({
    name: "scripted",
    params: z.strictObject({}),
    init: () => ({}),
    decide({ view }) {
      seen.view = view;
      return target.say;
    },
  });
  const bot = await tryStrategy(definition, { balances: { base: "10", quote: "10000" } });
  let round = 0;
  const bookEvent = (bid = 97): void => {
    round += 1;
    // Changing a far level makes each book a new event.
    bot.book({
      bids: [
        [bid, 50],
        [80, 50 + round],
      ],
      asks: [
        [101, 50],
        [120, 500],
      ],
    });
  };
  /** The view that the strategy would get now. */
  const view = (): MarketView => {
    bookEvent(fallen ? 90 : 97);
    if (seen.view === undefined) throw new Error("no decision yet");
    return seen.view;
  };
  let fallen = false;
  /** The market falls to 90, and a trade prints there. */
  const fall = (): void => {
    fallen = true;
    bookEvent(90);
    bot.trade({ side: "SELL", price: 90, quantity: 1 });
  };
  bookEvent();
  return { bot, view, fall };
}

const tpsl = { takeProfit: 105, stopLoss: 95 };
const bid = { price: 98, size: "1", tpsl };
const stop: WantedStop = { name: "floor", side: "SELL", size: "2", stopPrice: 95 };

const shown = ({ legs }: MarketView) =>
  legs.map(({ kind, state, remaining }) => `${kind} ${state} ${remaining.toString()}`);
const stopsOf = ({ stops }: MarketView) => stops.map(({ name, state }) => `${name} ${state}`);

describe("a quote with take profit and stop loss", () => {
  it("has two legs, which are placed when it fills; the end of one ends the other", async () => {
    const target = { say: setQuotes({ bids: [bid] }) };
    const { bot, view } = await scripted(target);
    expect(bot.orders).toEqual([{ side: "BUY", price: 98, quantity: 1 }]);
    expect(view().orders).toMatchObject([{ price: 98, tpsl }]);
    expect(shown(view())).toEqual(["takeProfit pending 1", "stopLoss pending 1"]);
    const entry = view().orders[0]?.id;
    expect(view().legs.map((leg) => leg.entry)).toEqual([entry, entry]);

    target.say = keepQuotes();
    bot.trade({ side: "SELL", price: 98, quantity: 1 });
    // The legs sell what the quote bought net of fees.
    expect(shown(view())).toEqual(["takeProfit working 0.9998", "stopLoss waiting 0.9998"]);
    expect(bot.orders).toEqual([{ side: "SELL", price: 105, quantity: 0.9998 }]);
    expect(bot.stops).toEqual([{ side: "SELL", stopPrice: 95, price: 0, quantity: 0.9998 }]);
    expect(view().orders).toEqual([]);

    bot.trade({ side: "BUY", price: 105, quantity: 500 });
    expect(bot.fills.map(({ side, price }) => [side, price])).toEqual([
      ["BUY", 98],
      ["SELL", 105],
    ]);
    expect([bot.orders, bot.stops, view().legs]).toEqual([[], [], []]);
  });

  it("ends the take profit when its stop loss fires", async () => {
    const target = { say: setQuotes({ bids: [bid] }) };
    const { bot, view, fall } = await scripted(target);
    target.say = keepQuotes();
    bot.trade({ side: "SELL", price: 98, quantity: 1 });
    fall();
    expect(bot.fills.map(({ side, price }) => [side, price])).toEqual([
      ["BUY", 98],
      ["SELL", 90],
    ]);
    expect([bot.orders, bot.stops, view().legs]).toEqual([[], [], []]);
    expect(view().position.base.toNumber()).toBeCloseTo(0, 8);
  });

  it("is replaced when its legs are off by more than the tolerance, and kept otherwise", async () => {
    const target = { say: setQuotes({ bids: [bid] }) };
    const { bot, view } = await scripted(target);
    const first = view().orders[0]?.id;
    const moved = (by: number, tolerance: number) =>
      setQuotes({ bids: [{ ...bid, tpsl: { ...tpsl, stopLoss: 95 + by } }], tolerance });
    target.say = moved(0.5, 0.01);
    expect(view().orders[0]?.id).toBe(first);
    target.say = moved(0.5, 0.001);
    expect(view().orders[0]?.id).not.toBe(first);
    expect(view().orders).toMatchObject([{ tpsl: { stopLoss: 95.5 } }]);
    expect(shown(view())).toEqual(["takeProfit pending 1", "stopLoss pending 1"]);
    // A quote without legs does not fit either.
    target.say = setQuotes({ bids: [{ price: 98, size: "1" }] });
    expect(view().legs).toEqual([]);
    expect(view().orders).toHaveLength(1);
    expect(bot.orders).toHaveLength(1);
  });

  it("stays while it is partly filled, since a cancel would leave that part without legs", async () => {
    const target = { say: setQuotes({ bids: [bid] }) };
    const { bot, view } = await scripted(target);
    const first = view().orders[0]?.id;
    bot.trade({ side: "SELL", price: 98, quantity: 0.4 });
    expect(view().orders).toMatchObject([{ id: first }]);
    expect(view().orders[0]?.remaining.toNumber()).toBe(0.6);
    expect(shown(view())).toEqual(["takeProfit pending 1", "stopLoss pending 1"]);
  });

  it("loses both legs when one is dropped by its id", async () => {
    const target = { say: setQuotes({ bids: [bid] }) };
    const { bot, view } = await scripted(target);
    target.say = keepQuotes();
    bot.trade({ side: "SELL", price: 98, quantity: 1 });
    const leg = view().legs.find(({ kind }) => kind === "takeProfit");
    target.say = setQuotes({ drop: leg === undefined ? [] : [leg.id] });
    view();
    expect([bot.orders, bot.stops, view().legs]).toEqual([[], [], []]);
  });

  it("is denied when its prices are the wrong way round, and invalid prices disable the strategy", async () => {
    const target = {
      say: setQuotes({ bids: [{ ...bid, tpsl: { takeProfit: 97, stopLoss: 95 } }] }),
    };
    const { bot, view } = await scripted(target);
    expect(view().orders).toEqual([]);
    target.say = setQuotes({ bids: [{ ...bid, tpsl: { takeProfit: Number.NaN, stopLoss: 95 } }] });
    expect(view).toThrow("The strategy failed: bids[0].tpsl.takeProfit is NaN");
    expect(bot.orders).toEqual([]);
  });

  it("rounds the take profit never worse, the trigger sooner and the limit towards a fill", async () => {
    const odd = { takeProfit: 105.001, stopLoss: 95.0011, stopLimit: 94.9999 };
    const target = { say: setQuotes({ bids: [{ ...bid, tpsl: odd }] }) };
    const { bot } = await scripted(target);
    target.say = keepQuotes();
    bot.trade({ side: "SELL", price: 98, quantity: 1 });
    expect(bot.orders).toMatchObject([{ price: 105.01 }]);
    expect(bot.stops).toMatchObject([{ stopPrice: 95.002, price: 94.999 }]);
  });
});

describe("a target stop order", () => {
  it("stays until a decision drops it, without affecting quotes", async () => {
    const target = { say: setQuotes({ bids: [{ price: 97, size: "1" }], stops: [stop] }) };
    const { bot, view } = await scripted(target);
    expect(bot.stops).toEqual([{ side: "SELL", stopPrice: 95, price: 0, quantity: 2 }]);
    expect(bot.orders).toHaveLength(1);
    expect(stopsOf(view())).toEqual(["floor waiting"]);
    expect(view().orders).toHaveLength(1);
    const id = view().stops[0]?.id;
    view();
    expect(view().stops[0]?.id).toBe(id);
    target.say = setQuotes({ bids: [{ price: 97, size: "1" }] });
    expect(stopsOf(view())).toEqual([]);
    expect(bot.stops).toEqual([]);
    expect(bot.orders).toHaveLength(1);
  });

  it("is replaced when its terms are off by more than the tolerance", async () => {
    const at = (stopPrice: number) =>
      setQuotes({ stops: [{ ...stop, stopPrice }], tolerance: 0.01 });
    const target = { say: at(95) };
    const { bot, view } = await scripted(target);
    const id = view().stops[0]?.id;
    target.say = at(95.5);
    expect(view().stops[0]?.id).toBe(id);
    target.say = at(97);
    view();
    expect(bot.stops).toMatchObject([{ stopPrice: 97 }]);
    expect(view().stops).toMatchObject([{ state: "waiting", stopPrice: 97 }]);
  });

  it("fires once, and its name is not placed again until a decision leaves it out", async () => {
    const target = { say: setQuotes({ stops: [stop] }) };
    const { bot, view, fall } = await scripted(target);
    fall();
    expect(bot.fills).toHaveLength(1);
    const fired = view();
    expect(stopsOf(fired)).toEqual(["floor over"]);
    expect(fired.stops[0]?.executed.toNumber()).toBe(2);
    for (let round = 0; round < 3; round += 1) expect(stopsOf(view())).toEqual(["floor over"]);
    expect(bot.fills).toHaveLength(1);
    target.say = setQuotes({});
    view();
    target.say = setQuotes({ stops: [{ ...stop, stopPrice: 85 }] });
    view();
    expect(stopsOf(view())).toEqual(["floor waiting"]);
  });

  it("is not sent when the market is beyond it, and the strategy sees the reason", async () => {
    const target = { say: setQuotes({ stops: [{ ...stop, stopPrice: 104 }] }) };
    const { bot, view } = await scripted(target);
    expect(bot.stops).toEqual([]);
    expect(view().stops).toMatchObject([{ state: "wanted" }]);
    expect(view().stops[0]?.reason).toContain("denied by stop-side");
    target.say = setQuotes({ stops: [{ ...stop, stopPrice: 104, kind: "take-profit" }] });
    view();
    expect(bot.stops).toMatchObject([{ stopPrice: 104 }]);
  });

  it("stays although it does not fit while risk denies its replacement", async () => {
    const target = { say: setQuotes({ stops: [stop] }) };
    const { bot, view } = await scripted(target);
    // The replacement is beyond the market, then too large, then allowed.
    target.say = setQuotes({ stops: [{ ...stop, stopPrice: 104 }] });
    expect(stopsOf(view())).toEqual(["floor waiting"]);
    expect(view().stops[0]?.reason).toContain("denied by stop-side");
    target.say = setQuotes({ stops: [{ ...stop, size: "11" }] });
    view();
    expect(view().stops[0]?.reason).toContain("denied by balance");
    expect(bot.stops).toEqual([{ side: "SELL", stopPrice: 95, price: 0, quantity: 2 }]);
    // The stop locks 2 of 10. The rest alone is not enough for its replacement, but both together are.
    target.say = setQuotes({ stops: [{ ...stop, size: "9" }] });
    view();
    expect(bot.stops).toEqual([{ side: "SELL", stopPrice: 95, price: 0, quantity: 9 }]);
  });

  it("names itself in its fills", async () => {
    const roles: string[] = [];
    const target = setQuotes({ stops: [stop], bids: [bid] });
    const definition = defineStrategy({
      name: "roles",
      params: z.strictObject({}),
      init: () => ({}),
      decide({ view }) {
        for (const { role, stop: name = "" } of view.fills) roles.push(`${role} ${name}`.trim());
        return view.fills.length > 0 || roles.length > 0 ? keepQuotes() : target;
      },
    });
    const bot = await tryStrategy(definition);
    bot.book({ bids: [[97, 50]], asks: [[101, 50]] });
    bot.trade({ side: "SELL", price: 98, quantity: 1 });
    bot.book({ bids: [[90, 50]], asks: [[101, 50]] });
    bot.trade({ side: "SELL", price: 90, quantity: 1 });
    expect(roles.toSorted()).toEqual(["quote", "stop floor", "stopLoss"]);
  });
});
