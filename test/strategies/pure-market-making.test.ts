import { describe, expect, test } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import type { Side } from "../../src/domain/side.ts";
import type { Decision } from "../../src/strategy/contract.ts";
import strategy from "../../strategies/pure-market-making.ts";
import { market } from "../kernel/harness.ts";
import { Harness, cancelsOf, hashOf, placesOf } from "../kernel/harness.ts";
import { start } from "../kernel/harness.ts";
import { aView, type ViewOptions } from "./a-view.ts";

type Written = Readonly<Record<string, unknown>>;
const plain: Written = { bidSpread: "0.1%", askSpread: "0.1%", size: "1" };

/** A function that gives the strategy's decision for one view after another. */
function maker(written: Written = {}) {
  const params = strategy.params.parse({ ...plain, ...written });
  const state = strategy.init({ params, seed: 1 });
  return (options: ViewOptions = {}) => strategy.decide({ view: aView(options), params, state });
}

function set(decision: Decision): Extract<Decision, { type: "set" }> {
  if (decision.type !== "set") throw new Error(`the decision is ${decision.type}`);
  return decision;
}

/** The quotes of the first decision. */
function wants(written: Written = {}, options: ViewOptions = {}) {
  return set(maker(written)(options));
}

const prices = (quotes: readonly { readonly price: number }[]) => quotes.map(({ price }) => price);
const sizes = (quotes: readonly { readonly size: string | Decimal }[]) =>
  quotes.map(({ size }) => Number(size));

function messages(written: Written): string[] {
  const result = strategy.params.safeParse({ ...plain, ...written });
  return result.success
    ? []
    : result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function review(written: Written, priceCollar: number | null = 0.05): readonly string[] {
  const params = strategy.params.parse({ ...plain, ...written });
  return strategy.review?.({ params, makerFee: 0.0002, takerFee: 0.0005, priceCollar }) ?? [];
}

describe("ladder", () => {
  test("bidSpread and askSpread are shares of the mid", () => {
    const { bids, asks } = wants({ bidSpread: "0.1%", askSpread: "0.2%" });
    expect(prices(bids)).toEqual([1998]);
    expect(prices(asks)).toEqual([2004]);
  });

  test("bids round down and asks round up", () => {
    const { bids, asks } = wants({ bidSpread: "0.0333%", askSpread: "0.0333%" });
    expect(prices(bids)).toEqual([1999.3]);
    expect(prices(asks)).toEqual([2000.7]);
  });

  test("levels and levelSpread give the ladder of the documented example", () => {
    const written = { size: "0.5", levels: 2, levelSpread: "0.05%", refresh: "2s" };
    const { bids, asks, tolerance } = wants({ ...written, tolerance: "0.02%" });
    expect(prices(bids)).toEqual([1998, 1997]);
    expect(prices(asks)).toEqual([2002, 2003]);
    expect(sizes(bids)).toEqual([0.5, 0.5]);
    expect(tolerance).toBe(0.0002);
  });

  test("a list of spreads sets the first levels, and levelSpread the further ones", () => {
    const { bids, asks } = wants({
      bidSpread: ["0.1%", "0.3%"],
      levels: 3,
      levelSpread: "0.05%",
    });
    expect(prices(bids)).toEqual([1998, 1994, 1993]);
    expect(prices(asks)).toEqual([2002, 2003, 2004]);
    expect(prices(wants({ askSpread: ["0.1%", "0.3%"] }).asks)).toEqual([2002, 2006]);
  });

  test("size as a list, sizeFactor and sizeStep set the size of each level", () => {
    expect(sizes(wants({ size: ["1", "3"] }).asks)).toEqual([1, 3]);
    expect(sizes(wants({ levels: 3, sizeFactor: 2 }).bids)).toEqual([1, 2, 4]);
    expect(sizes(wants({ levels: 3, sizeStep: "0.5" }).bids)).toEqual([1, 1.5, 2]);
    expect(sizes(wants({ size: ["1", "3"], levels: 3, sizeFactor: 2 }).bids)).toEqual([1, 3, 6]);
  });

  test("sizes in quote token follow the mid, in a list and in every growth too", () => {
    expect(sizes(wants({ size: { quote: 1000 } }).bids)).toEqual([0.5]);
    const cheap: ViewOptions = {
      bids: [[0.9995, 5]],
      asks: [[1.0005, 5]],
      held: { base: 2000, quote: 2000 },
    };
    expect(sizes(wants({ size: { quote: 1000 } }, cheap).asks)).toEqual([1000]);
    expect(sizes(wants({ size: ["1", { quote: "500" }] }).asks)).toEqual([1, 0.25]);
    const growing = { levels: 3, sizeStep: { quote: 200 } };
    expect(sizes(wants({ ...growing, size: { quote: 1000 } }).bids)).toEqual([0.5, 0.6, 0.7]);
  });

  test("sides limits quoting to one side", () => {
    expect(prices(wants({ sides: "bids" }).asks)).toEqual([]);
    expect(prices(wants({ sides: "bids" }).bids)).toEqual([1998]);
    expect(wants({ sides: "asks" })).toMatchObject({ bids: [], reason: { BUY: /only asks/ } });
  });

  test("rejects lists that are longer than levels or come back towards the mid", () => {
    expect(messages({ levels: 1, size: ["1", "2"] })).toEqual([
      "size: has 2 entries, more than levels: 1",
    ]);
    expect(messages({ bidSpread: ["0.2%", "0.1%"] })).toEqual([
      "bidSpread.1: is nearer than the level before it",
    ]);
  });

  test("quotes with zero spreads do not cross each other", () => {
    const { bids, asks } = wants({ bidSpread: "0", askSpread: "0", levels: 2, levelSpread: "0" });
    // Both levels of a side are at one price: they are one quote.
    expect(prices(bids)).toEqual([2000]);
    expect(sizes(bids)).toEqual([2]);
    expect(prices(asks)).toEqual([2000.1]);
  });

  test("leaves out levels with a price below zero", () => {
    const { bids, asks } = wants({ bidSpread: "50%", levelSpread: "50%", levels: 3 });
    expect(prices(bids)).toEqual([1000]);
    expect(asks).toHaveLength(3);
  });

  test("leaves out sizes below the venue's minimum, with the reason", () => {
    expect(wants({ size: "0.00005" })).toMatchObject({
      bids: [],
      reason: { BUY: "smaller than the smallest order", SELL: "smaller than the smallest order" },
    });
  });
});

describe("fair price", () => {
  const lopsided: ViewOptions = { bids: [[1999, 9]], asks: [[2001, 1]] };

  test("priceSource: weightedMid moves away from the side with more quantity", () => {
    const { bids, asks } = wants({ priceSource: "weightedMid" }, lopsided);
    expect(prices(bids)).toEqual([1998.8]);
    expect(prices(asks)).toEqual([2002.8]);
  });

  test("priceSource: lastTrade is limited to the touch, and is the mid before the first trade", () => {
    const ask = maker({ priceSource: "lastTrade", refresh: "1s" });
    expect(prices(set(ask(lopsided)).bids)).toEqual([1998]);
    expect(prices(set(ask({ ...lopsided, afterMs: 1000, lastTrade: 2000.5 })).bids)).toEqual([
      1998.5,
    ]);
    expect(prices(set(ask({ ...lopsided, afterMs: 2000 })).bids)).toEqual([1998.5]);
    expect(prices(set(ask({ ...lopsided, afterMs: 3000, lastTrade: 2500 })).bids)).toEqual([1999]);
  });

  const deep: ViewOptions = {
    bids: [
      [1999.5, 0.1],
      [1997, 5],
    ],
    asks: [
      [2000.5, 0.1],
      [2003, 5],
    ],
  };

  test("touch: join quotes no better than the best other order, and moves the whole ladder out", () => {
    const near = { bidSpread: "0.01%", askSpread: "0.01%", levels: 2, levelSpread: "0.05%" };
    expect(prices(wants({ ...near, touch: "free" }, deep).bids)).toEqual([1999.8, 1998.8]);
    expect(prices(wants({ ...near, touch: "join" }, deep).bids)).toEqual([1999.5, 1998.5]);
    expect(prices(wants({ ...near, touch: "join" }, deep).asks)).toEqual([2000.5, 2001.5]);
  });

  test("touch: step quotes at most a tick better, and never inside the spread setting", () => {
    const near = { bidSpread: "0.01%", askSpread: "0.01%", touch: "step" };
    expect(prices(wants(near, deep).bids)).toEqual([1999.6]);
    expect(prices(wants(near, deep).asks)).toEqual([2000.4]);
    expect(prices(wants({ touch: "step" }, deep).bids)).toEqual([1998]);
  });

  test("touchDepth ignores small orders at the touch", () => {
    const near = { bidSpread: "0.01%", askSpread: "0.01%", touch: "step", touchDepth: "1" };
    expect(prices(wants(near, deep).bids)).toEqual([1997.1]);
    expect(prices(wants(near, deep).asks)).toEqual([2002.9]);
  });
});

describe("refresh", () => {
  test("refresh keeps the quotes until its time has passed, and wakes then", () => {
    const ask = maker({ refresh: "2s" });
    expect(set(ask()).wakeAtMs).toBe(start + 2000);
    expect(ask({ afterMs: 1999 })).toEqual({ type: "keep", wakeAtMs: start + 2000 });
    expect(ask({ afterMs: 2000 }).type).toBe("set");
  });

  /** Quotes at 1998 and 2002 that the venue has acknowledged. */
  const resting: ViewOptions["orders"] = [
    { id: 1, side: "BUY", price: 1998 },
    { id: 2, side: "SELL", price: 2002 },
  ];
  const around = (mid: number): ViewOptions => ({ bids: [[mid - 0.5, 5]], asks: [[mid + 0.5, 5]] });

  test("a quote that has become too dangerous is decided anew at once, one that is too far away waits", () => {
    for (const mid of [1999, 2001]) {
      const ask = maker();
      ask();
      const off = { ...around(mid), orders: resting };
      const decision = set(ask({ ...off, afterMs: 10 }));
      expect(decision).toMatchObject({ tolerance: 0.00025, fartherTolerance: 0.001 });
    }
    const ask = maker();
    ask();
    expect(ask({ ...around(2000.4), orders: resting, afterMs: 10 }).type).toBe("keep");
    const bids = maker({ sides: "bids" });
    bids();
    const tooFar = { ...around(2001.5), lastTrade: 2001.5, orders: resting.slice(0, 1) };
    expect(bids({ ...tooFar, afterMs: 10 }).type).toBe("keep");
  });

  test("requote sets how near, how far and how often", () => {
    const written = { requote: { nearer: "0.01%", farther: "0.05%", minInterval: "300ms" } };
    const ask = maker(written);
    ask();
    const near = (mid: number, afterMs: number) =>
      ask({ ...around(mid), orders: resting, afterMs });
    expect(near(2000.1, 10).type).toBe("keep");
    expect(near(2000.3, 20)).toMatchObject({ tolerance: 0.0001, fartherTolerance: 0.0005 });
  });

  test("without minInterval, quotes that are only too far away wait for the acknowledgement of the last orders", () => {
    const settings = { sides: "bids" };
    const sent = resting.map((order) => ({ ...order, isWorking: false }));
    const up: ViewOptions = { ...around(2003), lastTrade: 2003 };
    const ask = maker({ ...settings, maxDeviation: "5%" });
    ask();
    expect(ask({ ...up, orders: [sent[0] ?? resting[0]], afterMs: 10 } as ViewOptions).type).toBe(
      "keep",
    );
    expect(ask({ ...up, orders: [resting[0]], afterMs: 20 } as ViewOptions).type).toBe("set");
    const timed = maker({ ...settings, maxDeviation: "5%", requote: { minInterval: "300ms" } });
    timed();
    const waits = timed({ ...up, orders: [resting[0]], afterMs: 10 } as ViewOptions);
    expect(waits).toEqual({ type: "keep", wakeAtMs: start + 300 });
    expect(timed({ ...up, orders: [resting[0]], afterMs: 300 } as ViewOptions).type).toBe("set");
  });

  test("an order that was kept off its target leaves less room for the next move", () => {
    const ask = maker();
    const off: ViewOptions = { orders: [{ id: 1, side: "BUY", price: 1998.4 }] };
    ask(off);
    expect(ask({ ...around(1999.85), ...off, afterMs: 10 }).type).toBe("set");
    const exact = maker();
    exact({ orders: resting });
    expect(exact({ ...around(1999.85), orders: resting, afterMs: 10 }).type).toBe("keep");
  });

  test("quotes that a doubt about the price removed are set again as soon as there is a price", () => {
    const ask = maker();
    ask();
    expect(set(ask({ bids: [[1500, 5]], afterMs: 10 })).bids).toEqual([]);
    expect(set(ask({ afterMs: 20 })).bids).toHaveLength(1);
  });

  test("tolerance and sizeTolerance are passed to the planner", () => {
    expect(wants()).toMatchObject({ tolerance: 0.00025, sizeTolerance: 0.1, drop: [] });
    expect(wants({ tolerance: "0", sizeTolerance: "25%" })).toMatchObject({
      tolerance: 0,
      sizeTolerance: 0.25,
    });
  });

  test("minOrderLifetime keeps young orders, each in place of the nearest quote", () => {
    const orders: ViewOptions["orders"] = [
      { id: 7, side: "BUY", price: 1990, ageMs: 900 },
      { id: 8, side: "BUY", price: 1991, ageMs: 1000 },
      { id: 9, side: "SELL", price: 2010, ageMs: 5, isLeaving: true },
    ];
    const { bids, asks } = wants({ minOrderLifetime: "1s", levels: 2 }, { orders });
    expect(bids.map(({ order }) => order)).toEqual([undefined, 7]);
    expect(asks.map(({ order }) => order)).toEqual([undefined, undefined]);
    expect(wants({ levels: 2 }, { orders }).bids.map(({ order }) => order)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("minOrderLifetime keeps both orders of a level, and the other levels theirs", () => {
    const left = { remaining: new Decimal(0.5), executed: new Decimal(0.5) };
    const orders: ViewOptions["orders"] = [
      { id: 7, key: "1", side: "BUY", price: 1998, ageMs: 9_000, ...left },
      { id: 8, key: "1", side: "BUY", price: 1998, ageMs: 100, remaining: new Decimal(0.5) },
      { id: 9, key: "2", side: "BUY", price: 1996, ageMs: 100 },
    ];
    const { bids } = wants({ minOrderLifetime: "1s", levels: 2 }, { orders });
    expect(bids.map(({ order }) => order)).toEqual([8, 7, 9]);
  });

  test("maxOrderAge replaces old orders, even within tolerance", () => {
    const orders: ViewOptions["orders"] = [
      { id: 7, side: "BUY", price: 1998, ageMs: 60_000 },
      { id: 8, side: "SELL", price: 2002, ageMs: 59_999 },
    ];
    expect(wants({ maxOrderAge: "1m" }, { orders }).drop).toEqual([7]);
    expect(wants({}, { orders }).drop).toEqual([]);
  });

  test("coolDown places no new orders on a filled side, but keeps those that fit", () => {
    const ask = maker({ coolDown: "3s", refresh: "1s" });
    ask();
    const cooling = set(ask({ afterMs: 500, fills: [{ order: 1, side: "BUY" }] }));
    expect(ask({ afterMs: 999 }).type).toBe("keep");
    expect(cooling.bids.map(({ place }) => place)).toEqual([false]);
    expect(cooling.reason).toEqual({ BUY: "cooling down after a fill" });
    expect(cooling.asks.map(({ place }) => place)).toEqual([undefined]);
    const over = set(ask({ afterMs: 3500 }));
    expect(over.bids.map(({ place }) => place)).toEqual([undefined]);
    expect(over.reason).toEqual({});
  });

  test("coolDown holds for the levels that the balance leaves", () => {
    const ask = maker({ coolDown: "3s", refresh: "1s", levels: 2 });
    const held = { base: 50, quote: 2_500 };
    expect(set(ask({ held })).bids.map(({ place }) => place)).toEqual([undefined, undefined]);
    const cooling = set(ask({ held, afterMs: 500, fills: [{ order: 1, side: "BUY" }] }));
    expect(cooling.bids.map(({ place }) => place)).toEqual([false, false]);
  });
});

describe("volatilitySpread", () => {
  /** The bids and asks after a hundred seconds in which the mid moved by `move` each second and back. */
  function after(move: number, volatilitySpread: Written | undefined) {
    const decide = maker({
      levels: 2,
      refresh: "50ms",
      ...(volatilitySpread && { volatilitySpread }),
    });
    for (let second = 0; second < 100; second += 1) {
      const mid = 2000 + move * (second % 2);
      decide({ afterMs: 1_000 * second, bids: [[mid - 0.5, 5]], asks: [[mid + 0.5, 5]] });
    }
    const { bids, asks } = set(decide({ afterMs: 100_000, quotesPulled: true }));
    return { bids: prices(bids), asks: prices(asks) };
  }
  /** σ of a day of such moves. */
  const sigma = (move: number) => Math.log((2000 + move) / 2000) * Math.sqrt(86_400);

  test("multiplies spreads and steps by the volatility over the usual one", () => {
    const { bids, asks } = after(2, { usual: sigma(2) / 3, most: 5 });
    expect(bids[0]).toBeCloseTo(2000 - 3 * 2, 0);
    expect(bids[1]).toBeCloseTo(2000 - 3 * 4, 0);
    expect(asks[1]).toBeCloseTo(2000 + 3 * 4, 0);
  });

  test("changes nothing in a market as calm as usual, and no more than `most` otherwise", () => {
    const calm = { bids: [1998, 1996], asks: [2002, 2004] };
    expect(after(2, { usual: 2 * sigma(2) })).toEqual(calm);
    expect(after(0, { usual: "3%" })).toEqual(calm);
    const most = after(2, { usual: sigma(2) / 30, most: 2 });
    expect(most.bids[0]).toBeCloseTo(1996, 0);
    expect(after(2, undefined).bids[0]).toBeCloseTo(1998, 0);
  });

  test("scales rebalanceSpread with the spreads", () => {
    const settings = { volatilitySpread: { usual: sigma(2) / 30, most: 2 }, refresh: "50ms" };
    const eager = { inventoryTargetBase: "0", inventoryRange: "3", rebalanceSpread: "0.05%" };
    const decide = maker({ ...settings, ...eager });
    for (let second = 0; second < 100; second += 1) {
      const mid = 2000 + 2 * (second % 2);
      decide({ afterMs: 1_000 * second, bids: [[mid - 0.5, 5]], asks: [[mid + 0.5, 5]] });
    }
    const { asks } = set(decide({ afterMs: 100_000, quotesPulled: true, bought: 3 }));
    expect(prices(asks)[0]).toBeCloseTo(2002, 0);
  });

  test("spreads are as given until volatility is measured", () => {
    expect(prices(wants({ volatilitySpread: { usual: "0.01%" } }).bids)).toEqual([1998]);
  });
});

describe("inventory", () => {
  const long: ViewOptions = { bought: 3 };
  const short: ViewOptions = { bought: -3 };

  test("has no effect without a skew", () => {
    expect(wants({}, long)).toEqual(wants());
  });

  test("the first quotes are even whatever the account holds, and a deposit changes nothing", () => {
    const skewed = { sizeSkew: "100%", priceSkew: "0.1%", rebalanceSpread: "0.05%" };
    for (const held of [{ base: 1, quote: 900_000 }, { base: 11, quote: 2000 }, undefined]) {
      const { bids, asks } = wants(skewed, { held });
      expect([...prices(bids), ...prices(asks)]).toEqual([1998, 2002]);
      expect([...sizes(bids), ...sizes(asks)]).toEqual([1, 1]);
    }
  });

  test("sizeSkew enlarges the rebalancing side by what the other side loses", () => {
    const skewed = { sizeSkew: "100%", inventoryRange: "6" };
    expect(sizes(wants(skewed, long).bids)).toEqual([0.5]);
    expect(sizes(wants(skewed, long).asks)).toEqual([1.5]);
    expect(sizes(wants(skewed, short).bids)).toEqual([1.5]);
    expect(sizes(wants({ ...skewed, sizeSkew: "50%" }, long).bids)).toEqual([0.75]);
  });

  test("can remove a side at full deviation, with the reason", () => {
    const { bids, asks, reason } = wants({ sizeSkew: "100%", inventoryRange: "3" }, long);
    expect(bids).toEqual([]);
    expect(sizes(asks)).toEqual([2]);
    expect(reason).toEqual({ BUY: "smaller than the smallest order" });
  });

  test("inventoryRange defaults to the sum of all quotes", () => {
    // A deviation of 3, over 2 sides · size 1 · 3 levels.
    expect(sizes(wants({ sizeSkew: "100%", levels: 3 }, long).bids)).toEqual([0.5, 0.5, 0.5]);
  });

  test("inventoryTargetBase is the position that quotes lead to", () => {
    const skewed = { sizeSkew: "100%", inventoryRange: "10", inventoryTargetBase: "5" };
    expect(sizes(wants(skewed, long).bids)).toEqual([1.2]);
    const inQuote = { inventoryRange: { quote: 20_000 }, inventoryTargetBase: { quote: 10_000 } };
    expect(sizes(wants({ ...skewed, ...inQuote }, long).bids)).toEqual([1.2]);
  });

  test("inventory: balance follows what the account holds, towards a share of its value or an amount", () => {
    // 4000 quote are worth 2 base, so 8 of 10 base are held: 3 above half.
    const rich: ViewOptions = { held: { base: 8, quote: 4000 }, bought: -3 };
    const skewed = { inventory: "balance", sizeSkew: "100%", inventoryRange: "10" };
    expect(sizes(wants(skewed, rich).bids)).toEqual([0.7]);
    expect(sizes(wants({ ...skewed, inventoryTarget: "80%" }, rich).bids)).toEqual([1]);
    expect(sizes(wants({ ...skewed, inventoryTarget: "0%" }, rich).bids)).toEqual([0.2]);
    expect(sizes(wants({ ...skewed, inventoryTargetBase: "5" }, rich).bids)).toEqual([0.7]);
    expect(sizes(wants(skewed, { held: undefined }).bids)).toEqual([1]);
  });

  test("an inventoryTarget is refused beside inventoryTargetBase, and without inventory: balance", () => {
    expect(messages({ inventoryTarget: "50%", inventoryTargetBase: "5" })).toEqual([
      "inventoryTargetBase: stands beside inventoryTarget, give one of the two",
    ]);
    expect(messages({ inventoryTarget: "50%" })).toEqual([
      "inventoryTarget: is a share of the account's value: add inventory: balance, or give inventoryTargetBase",
    ]);
  });

  test("priceSkew moves both sides down when long, and up when short", () => {
    const skewed = { priceSkew: "0.1%", inventoryRange: "6" };
    expect(prices(wants(skewed, long).bids)).toEqual([1997]);
    expect(prices(wants(skewed, long).asks)).toEqual([2001]);
    expect(prices(wants(skewed, short).bids)).toEqual([1999]);
  });

  test("rebalanceSpread draws the rebalancing side nearer with the deviation", () => {
    const eager = { rebalanceSpread: "0.05%", levels: 2, levelSpread: "0.05%" };
    const full = wants({ ...eager, inventoryRange: "3" }, long);
    expect(prices(full.asks)).toEqual([2001, 2002]);
    expect(prices(full.bids)).toEqual([1998, 1997]);
    expect(prices(wants({ ...eager, inventoryRange: "6" }, long).asks)).toEqual([2001.5, 2002.5]);
    expect(prices(wants({ ...eager, inventoryRange: "6" }, long).bids)).toEqual([1998, 1997]);
    expect(prices(wants({ ...eager, inventoryRange: "3" }, short).bids)).toEqual([1999, 1998]);
    const wider = { rebalanceSpread: "0.5%", inventoryRange: "3" };
    expect(prices(wants(wider, long).asks)).toEqual([2002]);
  });

  test("pingPong sells a bought position first, and drops as many bid levels as it covers", () => {
    const turns = { pingPong: true, levels: 3, levelSpread: "0.05%" };
    expect(prices(wants(turns, { bought: 0.9 }).bids)).toEqual([1997, 1996]);
    expect(prices(wants(turns, { bought: 0.9 }).asks)).toEqual([2002, 2003, 2004]);
    expect(prices(wants(turns, { bought: -2.1 }).asks)).toEqual([2004]);
    // A tiny position, such as fees paid in base, drops no level.
    expect(wants(turns, { bought: 0.4 }).bids).toHaveLength(3);
    expect(wants(turns, { bought: 7 })).toMatchObject({ bids: [], reason: { BUY: /ping-pong/ } });
    expect(wants({ levels: 3 }, { bought: 7 }).bids).toHaveLength(3);
  });
});

describe("limits", () => {
  test("minEdge moves the whole ladder out until it covers the fee and the edge", () => {
    const near = { bidSpread: "0.01%", askSpread: "0.01%", levels: 2, levelSpread: "0.05%" };
    // 0.02 % fee and 0.03 % edge are 1 in 2000.
    expect(prices(wants({ ...near, minEdge: "0.03%" }).bids)).toEqual([1999, 1998]);
    expect(prices(wants({ ...near, minEdge: "0.03%" }).asks)).toEqual([2001, 2002]);
    expect(prices(wants({ ...near, minEdge: "0" }, { makerFee: 0.001 }).asks)[0]).toBe(2002);
    expect(prices(wants({ minEdge: "0.03%" }).bids)).toEqual([1998]);
  });

  test("minEdge also limits a price skew that would sell at a loss", () => {
    const long: ViewOptions = { bought: 2 };
    const skewed = { priceSkew: "0.3%", minEdge: "0" };
    expect(prices(wants(skewed, long).asks)).toEqual([2000.4]);
    expect(prices(wants(skewed, long).bids)).toEqual([1992]);
  });

  test("maxPrice and minPrice leave out bids above and asks below them", () => {
    const { bids, asks, reason } = wants({ levels: 2, maxPrice: "1996.5", minPrice: "2003" });
    expect(prices(bids)).toEqual([1996]);
    expect(prices(asks)).toEqual([2004]);
    expect(reason).toEqual({});
    expect(wants({ maxPrice: "1900" })).toMatchObject({
      bids: [],
      reason: { BUY: "above maxPrice" },
    });
    expect(wants({ minPrice: 2100 })).toMatchObject({
      asks: [],
      reason: { SELL: "below minPrice" },
    });
  });

  test("movingBand stops quotes that follow the price too far from the first price of movingBandPeriod", () => {
    const ask = maker({
      movingBand: "1%",
      movingBandPeriod: "1m",
      refresh: "1s",
      fairPeriod: "100ms",
      maxDeviation: "10%",
    });
    const higher: ViewOptions = { bids: [[2049, 5]], asks: [[2051, 5]] };
    ask();
    ask({ ...higher, afterMs: 500 });
    const held = set(ask({ ...higher, afterMs: 1000 }));
    expect(held).toMatchObject({ bids: [], reason: { BUY: "above the moving band" } });
    expect(held.asks).toHaveLength(1);
    const lower: ViewOptions = { bids: [[1949, 5]], asks: [[1951, 5]] };
    ask({ ...lower, afterMs: 1500 });
    expect(set(ask({ ...lower, afterMs: 2000 }))).toMatchObject({
      asks: [],
      reason: { SELL: "below the moving band" },
    });
    expect(set(ask({ ...higher, afterMs: 60_000 })).bids).toHaveLength(1);
  });

  test("maxSpread stops quoting at once in a book with a wide spread", () => {
    const dead: ViewOptions = { bids: [[1000, 1]], asks: [[3000, 1]] };
    const ask = maker();
    ask();
    expect(set(ask({ ...dead, afterMs: 1 }))).toMatchObject({
      bids: [],
      asks: [],
      reason: { BUY: "the market's own spread is above 1%" },
    });
    expect(wants({ maxSpread: "200%" }, dead).bids).toHaveLength(1);
    expect(wants({ maxSpread: "0.05%" }).bids).toHaveLength(1);
    expect(wants({ maxSpread: "0.04%" }).bids).toHaveLength(0);
  });

  test("does not quote while a side of the book is empty", () => {
    expect(wants({}, { bids: [] })).toMatchObject({
      bids: [],
      asks: [],
      reason: { SELL: "a side of the book is empty" },
    });
  });
});

describe("orders and balances", () => {
  test("minEdge cancels a resting order that earns less, and a move that makes it so does not wait", () => {
    const ask = maker({ minEdge: "0.06%", tolerance: "0.05%" });
    const orders: ViewOptions["orders"] = [{ id: 7, side: "BUY", price: 1998.3 }];
    const before = set(ask({ orders }));
    expect(before.drop).toEqual([]);
    const lower: ViewOptions = { bids: [[1999.2, 5]], asks: [[2000.2, 5]] };
    expect(set(ask({ ...lower, orders, afterMs: 10 })).drop).toEqual([7]);
  });

  test("a short balance cuts quotes, the outermost first, and counts what own orders hold", () => {
    const two = { levels: 2, levelSpread: "0.05%" };
    const short: ViewOptions = { held: { base: 1.5, quote: 1998 } };
    expect(sizes(wants(two, short).asks)).toEqual([1, 0.5]);
    expect(sizes(wants(two, short).bids)).toEqual([1]);
    const reason = "the balance does not pay for the whole size";
    expect(wants(two, short).reason).toEqual({ BUY: reason, SELL: reason });
    expect(wants(two).reason).toEqual({});
    const orders: ViewOptions["orders"] = [{ id: 1, side: "SELL", price: 2002 }];
    expect(sizes(wants(two, { held: { base: 1, quote: 10_000 }, orders }).asks)).toEqual([1, 1]);
  });

  test("coolDown counts orders that were filled whole", () => {
    // One that was canceled after a partial fill is gone as well.
    const part: ViewOptions = { fills: [{ order: 1, side: "BUY", isComplete: false }] };
    expect(wants({ coolDown: "3s" }, part).reason).toEqual({});
    const whole: ViewOptions = { fills: [{ order: 1, side: "BUY" }] };
    expect(wants({ coolDown: "3s" }, whole).reason).toEqual({ BUY: "cooling down after a fill" });
  });

  test("pingPong sells back no lower than at its average cost and the fee", () => {
    const bought: ViewOptions = { bought: 1, averagePrice: 2010 };
    expect(prices(wants({ pingPong: true }, bought).asks)).toEqual([2010.5]);
    expect(prices(wants({ pingPong: false }, bought).asks)).toEqual([2002]);
  });
});

describe("hanging orders", () => {
  const bids = [
    { id: 1, key: "1", side: "BUY", price: 1998 },
    { id: 2, key: "2", side: "BUY", price: 1997 },
  ] as const;
  const asks = [
    { id: 3, key: "1", side: "SELL", price: 2002 },
    { id: 4, key: "2", side: "SELL", price: 2003, remaining: new Decimal("0.25") },
  ] as const;
  const hang = { hangingOrders: true, levels: 2, levelSpread: "0.05%", refresh: "1s" };
  const filled: ViewOptions = {
    afterMs: 500,
    orders: [bids[0], ...asks],
    fills: [{ order: 2, side: "BUY", key: "2" }],
  };

  test("the second ask stays beside the ladder when the second bid is filled", () => {
    const ask = maker(hang);
    ask({ orders: [...bids, ...asks] });
    ask(filled);
    const after = set(ask({ afterMs: 1000, orders: [bids[0], ...asks] }));
    expect(after.asks.map(({ order }) => order)).toEqual([undefined, undefined, 4]);
    expect(after.asks[2]).toMatchObject({ price: 2003, size: new Decimal("0.25") });
    expect(after.bids).toHaveLength(2);
  });

  test("are off by default, and a partial fill leaves none", () => {
    for (const [written, says] of [
      [{ ...hang, hangingOrders: false }, filled],
      [hang, { ...filled, fills: [{ order: 2, side: "BUY", key: "2", isComplete: false }] }],
    ] as const) {
      const ask = maker(written);
      ask({ orders: [...bids, ...asks] });
      ask(says);
      expect(set(ask({ afterMs: 1000, orders: [bids[0], ...asks] })).asks).toHaveLength(2);
    }
  });

  test("hangingCancel drops a hanging order that is too far from the fair price", () => {
    const ask = maker({ ...hang, hangingCancel: "1%", maxDeviation: "2%" });
    ask({ orders: [...bids, ...asks] });
    ask(filled);
    const lower: ViewOptions = { bids: [[1979.5, 5]], asks: [[1980.5, 5]] };
    const after = set(ask({ ...lower, afterMs: 1000, orders: [bids[0], ...asks] }));
    expect(after.drop).toEqual([4]);
    expect(after.asks).toHaveLength(2);
  });

  test("hangingMax returns the oldest hanging orders to the ladder first", () => {
    const ask = maker({ ...hang, hangingMax: 1 });
    ask({ orders: [...bids, ...asks] });
    ask(filled);
    ask({ afterMs: 600, orders: asks, fills: [{ order: 1, side: "BUY", key: "1" }] });
    const after = set(ask({ afterMs: 1000, orders: asks }));
    expect(after.asks.map(({ order }) => order)).toEqual([undefined, undefined, 3]);
  });

  test("are exempt from maxOrderAge and minOrderLifetime", () => {
    const ask = maker({ ...hang, maxOrderAge: "1s", minOrderLifetime: "1m" });
    ask({ orders: [...bids, ...asks] });
    ask(filled);
    const after = set(ask({ afterMs: 1000, orders: [bids[0], ...asks] }));
    expect(after.drop).toEqual([1, 3]);
    expect(after.asks.map(({ order }) => order)).toEqual([3, undefined, 4]);
  });

  test("survive the next refresh in the kernel, beside a complete ladder", () => {
    const params = strategy.params.parse({
      ...plain,
      hangingOrders: true,
      refresh: "1s",
      fairPeriod: "100ms",
    });
    const harness = new Harness({
      decide: () => ({ type: "keep", wakeAtMs: undefined }),
      config: {
        strategies: [
          { name: "maker", definition: strategy, params, marketId: market.marketId, seed: 1 },
        ],
      },
    });
    const placed = placesOf(harness.begin());
    expect(placed.map(({ side, price }) => [side, price])).toEqual([
      ["BUY", 1998],
      ["SELL", 2002],
    ]);
    const intentOf = (side: Side) => placed.find((place) => place.side === side)?.intent ?? 0;
    harness.step(
      ...placed.flatMap(({ intent }) => [
        harness.accepted(intent),
        harness.event(intent, "NEW" as const),
      ]),
    );
    const filled = harness.after(
      100,
      harness.event(intentOf("BUY"), "FILLED", { quantity: "1", tradeId: "t1" }),
      harness.depth(101, [1989, 5, 1999, 0], [1991, 5]),
    );
    const effects = [...filled, ...harness.after(1000)];
    expect(cancelsOf(effects)).not.toContain(hashOf(intentOf("SELL")));
    const last = (side: Side) => placesOf(effects).findLast((place) => place.side === side)?.price;
    expect([last("BUY"), last("SELL")]).toEqual([1988, 1992]);
  });
});

describe("review of settings that lose money", () => {
  test("gives no warnings for the documented example and the defaults", () => {
    expect(review({ levels: 2, levelSpread: "0.05%" })).toEqual([]);
    expect(review({})).toEqual([]);
  });

  test.each<[string, Written, RegExp]>([
    ["spread under fees", { bidSpread: "0.03%", askSpread: "0.01%", tolerance: "0" }, /do not pay/],
    [
      "spread less tolerance under the fee",
      { bidSpread: "0.03%", askSpread: "0.03%", tolerance: "0.01%" },
      /less the tolerance\), which does not pay/,
    ],
    ["tolerance wider than spread", { tolerance: "0.1%" }, /rest at the mid or beyond/],
    ["levels on the same tick", { levels: 2, levelSpread: "0.005%" }, /less than a tick/],
    [
      "tolerance wider than levelSpread",
      { levels: 2, levelSpread: "0.01%", tolerance: "0.02%" },
      /bunch up/,
    ],
    ["skew that crosses", { priceSkew: "0.09%" }, /trades at a loss/],
    ["rebalancing at a loss", { rebalanceSpread: "0.01%" }, /loses money each time/],
    ["sizes that never fit", { sizeSkew: "50%", sizeTolerance: "0" }, /replaces everything/],
    ["age under refresh", { maxOrderAge: "2s" }, /maxOrderAge \(2s\) is not above refresh/],
    ["lifetime above refresh", { minOrderLifetime: "10s" }, /minOrderLifetime \(10s\)/],
    ["hanging within the spread", { hangingOrders: true, hangingCancel: "0.1%" }, /hangingCancel/],
    ["ping-pong with one side", { pingPong: true, sides: "bids" }, /nothing is quoted any more/],
  ])("%s", (_, written, warning) => {
    const found = review(written);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(warning);
  });

  test("warns of written levels that are nearer to each other than a tick", () => {
    const spread = ["1%", "1.2%", "3%"];
    const params = strategy.params.parse({ ...plain, bidSpread: spread, askSpread: spread });
    expect(strategy.review?.({ params, makerFee: 0, takerFee: 0, tick: 0.005 })).toEqual([
      expect.stringMatching(
        /0\.2%\) is less than a tick \(0\.5% of the price\): levels meet on one/,
      ),
    ]);
  });

  test.each<[string, Written]>([
    ["first spread", { askSpread: "6%" }],
    ["last level", { levels: 3, levelSpread: "2.96%" }],
    ["written level", { bidSpread: ["0.1%", "6%"] }],
    ["ladder that minEdge moves out", { levels: 2, levelSpread: "1%", minEdge: "4.98%" }],
  ])("warns of a %s beyond the price collar", (_, written) => {
    expect(review(written)).toEqual([
      expect.stringMatching(
        /^a quote (6|6\.02)% from the mid is beyond risk\.priceCollar \(5%\): it is never placed$/,
      ),
    ]);
    expect(review(written, 0.1)).toEqual([]);
    expect(review(written, null)).toEqual([]);
  });

  test("warns of a quote at the price collar, which is placed only where its price is not rounded away from the mid", () => {
    expect(review({ bidSpread: "5%" })).toEqual([
      "a quote 5% from the mid is at risk.priceCollar (5%): it is placed only when its price needs no rounding",
    ]);
  });

  test("gives no warning of the price collar for a side that is not quoted", () => {
    expect(review({ askSpread: "6%", sides: "bids" })).toEqual([]);
    expect(review({ bidSpread: "6%", sides: "asks" })).toEqual([]);
    expect(review({ askSpread: "6%", sides: "asks" })).toHaveLength(1);
  });

  test("gives no warning of a loss that minEdge prevents", () => {
    const losing = { bidSpread: "0.01%", askSpread: "0.01%", tolerance: "0", priceSkew: "0.5%" };
    expect(review(losing)).toHaveLength(2);
    expect(review({ ...losing, minEdge: "0" })).toEqual([]);
  });
});

describe("ranges", () => {
  test.each<[string, unknown]>([
    ["bidSpread", "51%"],
    ["askSpread", "-0.1%"],
    ["askSpread", []],
    ["size", "0"],
    ["levels", 0],
    ["levels", 51],
    ["levelSpread", "60%"],
    ["sizeFactor", 0],
    ["sizeStep", "-1"],
    ["sides", "buy"],
    ["priceSource", "last"],
    ["touch", "top"],
    ["touchDepth", "x"],
    ["refresh", "49ms"],
    ["tolerance", "51%"],
    ["sizeTolerance", "1001%"],
    ["minOrderLifetime", "1"],
    ["maxOrderAge", "999ms"],
    ["coolDown", "-1s"],
    ["hangingOrders", "yes"],
    ["hangingCancel", "0"],
    ["hangingMax", 51],
    ["pingPong", 1],
    ["inventoryTarget", "101%"],
    ["inventoryTargetBase", "-1"],
    ["inventoryRange", "0"],
    ["sizeSkew", "101%"],
    ["priceSkew", "51%"],
    ["rebalanceSpread", "51%"],
    ["minEdge", "51%"],
    ["minPrice", "0"],
    ["maxPrice", "0"],
    ["movingBand", "0"],
    ["movingBandPeriod", "500ms"],
    ["maxSpread", "0"],
    ["levelz", 2],
  ])("%s: %j is refused", (key, value) => {
    expect(messages({ [key]: value })).not.toEqual([]);
  });
});
