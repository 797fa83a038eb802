import { describe, expect, it } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import type { OwnLeg } from "../../src/strategy/view.ts";
import strategy from "../../strategies/bracket-entry.ts";
import { aView, type ViewOptions } from "./a-view.ts";

const [ZERO, ONE] = [new Decimal(0), new Decimal(1)];

const settings = {
  distance: "1%",
  size: "1",
  takeProfit: "2%",
  stopLoss: "1%",
  refresh: "1s",
  coolDown: "30s",
  // The book alone moves the fair price, as far as it likes.
  fairPeriod: "100ms",
  maxDeviation: "100%",
};

async function trial(more: object = {}) {
  const bot = await tryStrategy(strategy, {
    params: { ...settings, ...more },
    balances: { base: "10", quote: "10000" },
    fees: { maker: "0", taker: "0" },
  });
  /** Shows a book of 10 on each side of a mid. A distant level makes each book differ from the last one. */
  let round = 0;
  const at = (mid: number) => {
    round += 1;
    bot.book({
      bids: [
        [mid - 0.1, 10],
        [mid / 2, round],
      ],
      asks: [[mid + 0.1, 10]],
    });
    bot.wait("1s");
  };
  /** The other bids move away, and another account sells into the own bid. */
  const fill = (price: number, quantity: number) => {
    bot.book({ bids: [[price - 0.5, 10]], asks: [[price + 1, 10]] });
    bot.trade({ side: "SELL", price, quantity });
  };
  at(100);
  return { bot, at, fill };
}

const entry = { side: "BUY", price: 99, quantity: 1 } as const;

describe("bracket-entry", () => {
  it("quotes below the mid, follows it, and leaves its exits at the venue", async () => {
    const { bot, at, fill } = await trial();
    expect(bot.orders).toEqual([entry]);
    at(99.5);
    expect(bot.orders).toEqual([{ ...entry, price: 98.505 }]);
    at(100);
    fill(99, 1);
    expect(bot.orders).toEqual([{ side: "SELL", price: 100.98, quantity: 1 }]);
    expect(bot.stops).toEqual([{ side: "SELL", stopPrice: 98.01, price: 0, quantity: 1 }]);
    // No second entry while the position is open.
    at(100);
    expect(bot.orders).toHaveLength(1);
    bot.trade({ side: "BUY", price: 101, quantity: 50 });
    expect(bot.balances).toEqual({ base: "10", quote: "10001.98" });
    at(100);
    expect(bot.orders).toEqual([entry]);
    expect(bot.stops).toEqual([]);
  });

  it("follows the mid with the size of a waiting entry that was given in quote token", async () => {
    const { bot, at } = await trial({ size: { quote: 100 } });
    expect(bot.orders).toEqual([entry]);
    at(102.5);
    expect(bot.orders).toEqual([
      { side: "BUY", price: 101.47, quantity: expect.closeTo(100 / 102.5) },
    ]);
  });

  it.each(["2", { quote: 4000 }])(
    "quotes anew for an entry of an earlier run that is smaller than its size now, unless that is filled in part (size %j)",
    (size) => {
      const params = strategy.params.parse({ ...settings, size });
      const bidsWith = (executed: number) => {
        const prices = { takeProfit: 2019, stopLoss: 1960 };
        const adopted = { id: 7, side: "BUY", price: 1980, tpsl: prices } as const;
        const orders = [{ ...adopted, remaining: ONE, executed: new Decimal(executed) }];
        const state = strategy.init({ params, seed: 1 });
        const decision = strategy.decide({ view: aView({ orders }), params, state });
        if (decision.type !== "set") throw new Error("each decision sets quotes");
        return decision.bids.map((quote) => [quote.order, Number(quote.size)]);
      };
      expect(bidsWith(0)).toEqual([[undefined, 2]]);
      expect(bidsWith(0.5)).toEqual([[7, 1]]);
    },
  );

  it("cools down after a stop loss", async () => {
    const { bot, at, fill } = await trial({ stopLimit: "0.5%" });
    fill(99, 1);
    expect(bot.stops).toEqual([{ side: "SELL", stopPrice: 98.01, price: 97.519, quantity: 1 }]);
    bot.book({ bids: [[97.9, 10]], asks: [[98.1, 10]] });
    bot.trade({ side: "SELL", price: 97.9, quantity: 1 });
    expect(bot.fills.at(-1)).toEqual({ side: "SELL", price: 97.9, quantity: 1 });
    at(100);
    expect([bot.orders, bot.stops]).toEqual([[], []]);
    bot.wait("30s");
    at(100);
    expect(bot.orders).toEqual([entry]);
  });

  it("leaves a partially filled entry in place until it is filled completely", async () => {
    const { bot, at, fill } = await trial();
    fill(99, 0.4);
    // The best bid is just below the take profit.
    at(101);
    expect(bot.orders).toEqual([{ ...entry, quantity: 0.6 }]);
    fill(99, 0.6);
    expect(bot.orders).toEqual([{ side: "SELL", price: 100.98, quantity: 1 }]);
  });

  it("gives up a partially filled entry when the market reaches its take profit, closes the part and enters anew", async () => {
    const { bot, at, fill } = await trial();
    fill(99, 0.4);
    // So far beyond the price collar, a book is believed only when trades and mids are old.
    bot.wait("1m");
    at(120);
    at(120.5);
    expect(bot.orders).toEqual([{ side: "SELL", price: 120.6, quantity: 0.4 }]);
    bot.book({ bids: [[119, 10]], asks: [[121, 10]] });
    bot.trade({ side: "BUY", price: 120.6, quantity: 0.4 });
    at(120);
    expect(bot.orders).toEqual([{ side: "BUY", price: 118.8, quantity: 1 }]);
  });

  it("sells above the mid and buys back", async () => {
    const { bot } = await trial({ side: "sell" });
    expect(bot.orders).toEqual([{ side: "SELL", price: 101, quantity: 1 }]);
    bot.book({ bids: [[100, 10]], asks: [[101.5, 10]] });
    bot.trade({ side: "BUY", price: 101, quantity: 1 });
    expect(bot.orders).toEqual([{ side: "BUY", price: 98.98, quantity: 1 }]);
    expect(bot.stops).toEqual([{ side: "BUY", stopPrice: 102.01, price: 0, quantity: 1 }]);
  });

  it.each([
    ["buy", 1],
    ["sell", -1],
  ] as const)(
    "enters again after the exits of an earlier run have closed its position (%s)",
    (side, sign) => {
      const params = strategy.params.parse({ ...settings, side });
      const state = strategy.init({ params, seed: 1 });
      let afterMs = 0;
      const wanted = (options: ViewOptions) => {
        afterMs += 5_000;
        const decision = strategy.decide({ view: aView({ afterMs, ...options }), params, state });
        if (decision.type !== "set") throw new Error("each decision sets quotes");
        return [...decision.bids, ...decision.asks].map(({ size, tpsl }) => [
          Number(size),
          tpsl !== undefined,
        ]);
      };
      const exit = { entry: undefined, side: sign > 0 ? "SELL" : "BUY", executed: ZERO } as const;
      const prices = { price: 2050, stopPrice: undefined, state: "sent" } as const;
      const leg = { ...exit, ...prices, id: -1, kind: "takeProfit", remaining: ONE } as const;
      expect(wanted({ legs: [leg], bought: sign })).toEqual([]);
      // The take profit was filled: the only quote is the next entry.
      expect(wanted({ bought: 0 })).toEqual([[1, true]]);
      // That entry was partially filled before it was canceled.
      expect(wanted({ bought: sign * 0.25 })).toEqual([[0.25, false]]);
    },
  );

  it("still cools down after a restart", () => {
    const params = strategy.params.parse(settings);
    const { state: keeping } = strategy;
    if (keeping === undefined) throw new Error("it keeps its state");
    const init = strategy.init({ params, seed: 1 });
    const data: unknown = JSON.parse(JSON.stringify(keeping.save({ ...init, coolUntilMs: 7 })));
    expect(keeping.load(data, keeping.version, init)).toEqual({ ...init, coolUntilMs: 7 });
    expect(() => keeping.load({ coolUntilMs: "soon" }, 1, init)).toThrow();
  });

  it("closes a position without a stop loss at the venue, once no report of it can still be in transit", () => {
    const params = strategy.params.parse(settings);
    const state = strategy.init({ params, seed: 1 });
    const leg: OwnLeg = {
      id: 2,
      entry: 1,
      kind: "takeProfit",
      side: "SELL",
      price: 2050,
      stopPrice: undefined,
      remaining: ONE,
      executed: ZERO,
      state: "working",
    };
    const at = (afterMs: number, legs: readonly OwnLeg[]) =>
      strategy.decide({ view: aView({ afterMs, legs, bought: 1 }), params, state });
    strategy.decide({ view: aView(), params, state });
    expect(at(1_500, [leg])).toMatchObject({ bids: [], asks: [], drop: [] });
    expect(at(3_000, [leg])).toMatchObject({ drop: [] });
    expect(at(4_500, [leg])).toMatchObject({ bids: [], asks: [], drop: [2] });
    expect(at(6_000, [])).toMatchObject({ bids: [], asks: [{ price: 2000.5 }] });
  });

  it("never trades against its side for a position that it does not know", () => {
    const params = strategy.params.parse(settings);
    const state = strategy.init({ params, seed: 1 });
    const first = strategy.decide({ view: aView(), params, state });
    expect(first).toMatchObject({ bids: [{ tpsl: {} }], asks: [] });
    const later = strategy.decide({ view: aView({ afterMs: 5_000, bought: -1 }), params, state });
    expect(later).toMatchObject({ bids: [{ tpsl: {} }], asks: [] });
  });

  it("closes its positions in a replay, which gives the same result each time", async () => {
    const params = { ...settings, distance: "0.02%", takeProfit: "0.1%", stopLoss: "0.1%" };
    const market = { seed: 5, duration: "20m", spread: 0.0002 };
    const options = { params: { ...params, coolDown: "1s", tolerance: "0.005%" }, market };
    const first = await replayStrategy(strategy, options);
    expect(first.fills).toBeGreaterThan(4);
    expect(first.stopsTriggered).toBeGreaterThan(0);
    expect(first).toMatchObject({ ordersLeft: 0, ordersRejected: 0 });
    expect(await replayStrategy(strategy, options)).toEqual(first);
  });

  it("warns of settings that lose money", () => {
    const review = (more: object) =>
      strategy.review?.({
        params: strategy.params.parse({ ...settings, ...more }),
        makerFee: 0.0002,
        takerFee: 0.0005,
      });
    expect(review({})).toEqual([]);
    expect(review({ takeProfit: "0.03%" })?.[0]).toContain("maker fees of a round trip");
    expect(review({ stopLoss: "0.04%" })?.[0]).toContain("taker fee");
    expect(review({ tolerance: "1%" })?.[0]).toContain("tolerance");
  });
});
