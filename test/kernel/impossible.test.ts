import { describe, expect, it } from "vitest";
import { type Fixed, fixed, ZERO } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import type { OrderEvent, OrderReport } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { FILLS_PER_ORDER_MAX } from "../../src/kernel/list-span.ts";
import { carriedKey } from "../../src/orders/carried.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, market, placesOf, readsOf } from "./harness.ts";

/** A bot with one bid of 2 at 1990, which the venue shows open. */
function quoting(
  price = 1990,
  more: Partial<KernelConfig> = {},
): { readonly bot: Harness; readonly intent: number } {
  const bot = new Harness({
    decide: () => setQuotes({ bids: [{ price, size: "2" }] }),
    config: { timing: { ...defaultTiming, marketsMs: 500 }, ...more },
  });
  const [placed] = placesOf(bot.begin());
  if (placed === undefined) throw new Error("no quote");
  bot.after(10, bot.accepted(placed.intent), bot.event(placed.intent, "NEW"));
  return { bot, intent: placed.intent };
}

/** A trade of the bid with what the venue says about it. */
function trade(
  { bot, intent }: ReturnType<typeof quoting>,
  told: Partial<NonNullable<OrderEvent["fill"]>>,
): { readonly input: Input; readonly fill: NonNullable<OrderEvent["fill"]> } {
  const input = bot.event(intent, "PARTIALLY_FILLED", { quantity: "1", tradeId: "t1" });
  if (input.type !== "orderEvent" || input.event.fill === undefined) throw new Error("no fill");
  const fill = { ...input.event.fill, ...told };
  return { input: { ...input, event: { ...input.event, fill } }, fill };
}

function codesOf(bot: Harness): string[] {
  return bot.notes.flatMap((note) => (note.type === "doubt" ? [note.code] : []));
}

function fillsOf(bot: Harness): unknown[] {
  return bot.notes.flatMap((note) =>
    note.type === "fill" ? [[note.fill.price, note.fill.quantity, note.fill.fee]] : [],
  );
}

describe("an impossible fill", () => {
  it.each<[string, Partial<NonNullable<OrderEvent["fill"]>>, string]>([
    ["beyond the order's limit", { price: fixed("1000000") }, "FILL_IMPOSSIBLE"],
    ["of a maker at a better price", { price: fixed("10"), isMaker: true }, "FILL_IMPOSSIBLE"],
    ["larger than the order", { quantity: fixed("5") }, "FILL_IMPOSSIBLE"],
    ["of the other side", { side: "SELL" }, "FILL_IMPOSSIBLE"],
    ["with a fee that is more than what was received", { fee: fixed("260000") }, "FEE_IMPOSSIBLE"],
    [
      "with a fee in another token",
      { fee: fixed("0.001"), feeToken: tokenId("9") },
      "FEE_IMPOSSIBLE",
    ],
  ])("%s is not used, and is booked as the list of fills has it", (_, told, code) => {
    const known = quoting();
    const { bot } = known;
    const { input, fill } = trade(known, {});
    const asked = readsOf(bot.after(10, trade(known, told).input));
    expect(asked).toContain("order");
    expect(asked).toContain("fills");
    expect(codesOf(bot)).toEqual([code]);
    expect(fillsOf(bot)).toEqual([]);
    bot.after(10, { type: "fills", fills: [fill] }, input);
    expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
    expect(codesOf(bot)).toEqual([code]);
  });

  it.each<[string, Partial<NonNullable<OrderEvent["fill"]>>, unknown[]]>([
    ["at the limit", { price: fixed("1000000") }, [fixed("1990"), fixed("1"), ZERO]],
    ["as far as the order goes", { quantity: fixed("5") }, [fixed("1990"), fixed("1"), ZERO]],
    ["with the market's fee", { fee: fixed("9") }, [fixed("1990"), fixed("1"), market.makerFee]],
    [
      "with the market's fee in the token received",
      { fee: fixed("9"), feeToken: tokenId("9") },
      [fixed("1990"), fixed("1"), market.makerFee],
    ],
    ["not at all", { side: "SELL" }, []],
  ])(
    "that the list repeats is booked %s, and the market is left until a resume",
    (_, told, booked) => {
      const known = quoting();
      const { bot, intent } = known;
      const { input, fill } = trade(known, told);
      bot.after(10, input);
      const report = { ...bot.report(intent, "PARTIALLY_FILLED", "1") };
      bot.after(10, { type: "order", orderId: report.orderId, report });
      const effects = bot.after(10, { type: "fills", fills: [fill] });
      expect(fillsOf(bot)).toEqual(booked.length === 0 ? [] : [booked]);
      expect(codesOf(bot).at(-1)).toBe("MARKET_LEFT");
      // The partly filled bid and the one that has its rest.
      expect(cancelsOf(effects)).toHaveLength(2);
      const [left] = bot.notes.filter(({ type }) => type === "quoteReason").slice(-1);
      expect(left).toMatchObject({ reason: expect.stringContaining("the venue is not believed") });
      bot.after(10, bot.event(intent, "CANCELED"));
      expect(placesOf(bot.after(10, { type: "operator", command: "resume" }))).toHaveLength(1);
    },
  );

  it("of a trade that is booked otherwise changes nothing, and leaves the market when REST says it", () => {
    const known = quoting();
    const { bot } = known;
    const { input, fill } = trade(known, {});
    bot.after(10, input, input);
    const changed = trade(known, { price: fixed("1989"), quantity: fixed("0.5") });
    bot.after(10, changed.input);
    expect(codesOf(bot)).toEqual(["FILL_IMPOSSIBLE"]);
    bot.after(10, { type: "fills", fills: [changed.fill] });
    expect(codesOf(bot)).toEqual(["FILL_IMPOSSIBLE", "FILL_IMPOSSIBLE", "MARKET_LEFT"]);
    expect(fillsOf(bot)).toEqual([[fill.price, fill.quantity, fill.fee]]);
  });

  it("of a taker far better than the limit and the book is booked as the venue says, with an alarm", () => {
    const known = quoting();
    known.bot.after(10, trade(known, { price: fixed("10"), isMaker: false }).input);
    expect(fillsOf(known.bot)).toEqual([[fixed("10"), fixed("1"), ZERO]]);
    expect(known.bot.notes).toContainEqual(
      expect.objectContaining({
        code: "FILL_FAR_FROM_BOOK",
        message: expect.stringContaining("has the price 10; the limit is 1990, the mid "),
      }),
    );
  });

  it("of a taker a little better than the limit, or at a limit that the market has left, is no alarm", () => {
    const known = quoting();
    known.bot.after(10, trade(known, { price: fixed("1950"), isMaker: false }).input);
    const far = quoting(1900);
    far.bot.after(10, trade(far, { price: fixed("1900") }).input);
    expect([...codesOf(known.bot), ...codesOf(far.bot)]).toEqual([]);
  });

  it("has a fee that is only above the market's rate: that is possible", () => {
    const known = quoting();
    known.bot.after(10, trade(known, { fee: fixed("0.01") }).input);
    expect(codesOf(known.bot)).toEqual([]);
    expect(fillsOf(known.bot)).toHaveLength(1);
  });

  it("is one of too many of its order: the market is left, and no more trades are remembered", () => {
    const { bot, intent } = quoting();
    const dust = (at: number): Input => {
      const input = bot.event(intent, "PARTIALLY_FILLED", { quantity: "0", tradeId: `t${at}` });
      if (input.type !== "orderEvent" || input.event.fill === undefined) throw new Error("no fill");
      const fill = { ...input.event.fill, quantity: fixed("0.000000000000000001") };
      const order = {
        ...input.event.order,
        executedQty: (fill.quantity * BigInt(at + 1)) as Fixed,
      };
      return { ...input, event: { ...input.event, order, fill } };
    };
    const inputs = Array.from({ length: FILLS_PER_ORDER_MAX + 30 }, (_, at) => dust(at));
    bot.after(10, ...inputs);
    expect(fillsOf(bot)).toHaveLength(FILLS_PER_ORDER_MAX);
    expect(bot.kernel.sizes["tradeIds"]).toBe(FILLS_PER_ORDER_MAX);
    expect(new Set(codesOf(bot))).toEqual(new Set(["FILL_IMPOSSIBLE"]));
    const fills = inputs.flatMap((input) =>
      input.type === "orderEvent" && input.event.fill !== undefined ? [input.event.fill] : [],
    );
    const effects = bot.after(10, { type: "fills", fills });
    expect(codesOf(bot)).toContain("MARKET_LEFT");
    expect(cancelsOf(effects)).toHaveLength(1);
    expect(bot.kernel.sizes["tradeIds"]).toBe(FILLS_PER_ORDER_MAX);
  });

  describe("of an order that has as many as are booked", () => {
    /** A bot that has left its market for a fill too many, and runs or stops on with a venue that answers every read. */
    function full(): {
      readonly bot: Harness;
      run(seconds: number, first?: Input): Effect[];
    } {
      const known = quoting();
      const { bot, intent } = known;
      const trades = Array.from({ length: FILLS_PER_ORDER_MAX }, (_, at) =>
        trade(known, { tradeId: `of ${at}`, quantity: fixed("0.0001") }),
      );
      const other = trade(known, { tradeId: "t2", quantity: fixed("0.5") });
      const fills = [...trades, other].map(({ fill }) => fill);
      const executed = (of: Input): Input => {
        if (of.type !== "orderEvent") throw new Error("no event");
        const order = { ...of.event.order, executedQty: fixed("1.5") };
        return { ...of, event: { ...of.event, order } };
      };
      const answer = (effect: Effect): Input[] => {
        if (effect.type === "fills") return [{ type: "fills", fills }];
        if (effect.type === "balances") return [bot.balances("101.5", "997015")];
        if (effect.type === "openOrders") return [{ type: "openOrders", orders: [] }];
        if (effect.type === "transfers") return [{ type: "transfers", transfers: [] }];
        if (effect.type === "markets") return [{ type: "markets", markets: [market] }];
        if (effect.type === "book") return [bot.snapshot(1999, 2001)];
        if (effect.type === "venueTime")
          return [{ type: "venueTime", offsetMs: 0, roundTripMs: 1 }];
        if (effect.type === "reconnect") return [{ type: "stream", state: "opened", reason: "" }];
        return [];
      };
      bot.after(10, ...trades.map(({ input }) => input), executed(other.input));
      bot.after(10, { type: "fills", fills });
      let effects = bot.after(10, executed(bot.event(intent, "CANCELED")));
      // What replaced the bid before its market was left.
      for (const placed of bot.places.keys()) {
        if (placed !== intent) effects = bot.after(10, bot.event(placed, "CANCELED"));
      }
      const run = (seconds: number, first?: Input): Effect[] => {
        if (first !== undefined) effects = [...effects, ...bot.after(10, first)];
        const seen = [...effects];
        for (let second = 0; second < seconds; second += 1) {
          effects = bot.after(1_000, ...effects.flatMap(answer));
          seen.push(...effects);
        }
        return seen;
      };
      return { bot, run };
    }

    it("is not requested again with every list of open orders", () => {
      const { bot, run } = full();
      run(60);
      expect(new Set(codesOf(bot))).toEqual(new Set(["FILL_IMPOSSIBLE", "MARKET_LEFT"]));
      const later = readsOf(run(300));
      expect(later.filter((read) => read === "openOrders").length).toBeGreaterThan(5);
      expect(later).not.toContain("fills");
    });

    it("does not hold a stop", () => {
      const { run } = full();
      run(60);
      const effects = run(20, { type: "operator", command: "stop" });
      expect(effects.find(({ type }) => type === "finished")).toMatchObject({ ok: true });
    });
  });

  describe("and a restart after it", () => {
    const decide = () => setQuotes({ bids: [{ price: 1990, size: "2" }] });
    /** A bot that has left its market, with what it leaves to the next run. */
    function left(): Harness {
      const known = quoting();
      const { input, fill } = trade(known, { price: fixed("1000000") });
      known.bot.after(10, input);
      known.bot.after(10, { type: "fills", fills: [fill] });
      return known.bot;
    }

    function restarted(carried: Harness["carried"]): Harness {
      const bot = new Harness({ decide });
      const newest = new Map(carried.map((item) => [carriedKey(item), item]));
      const restored = { nonceHighWater: 0, orders: [], carried: [...newest.values()] };
      bot.step({ type: "restored", restored });
      bot.begin();
      return bot;
    }

    it("leaves the market unquoted, with the reason, until a resume", () => {
      const bot = restarted(left().carried);
      expect([...bot.places]).toEqual([]);
      expect(codesOf(bot)).toEqual(["MARKET_LEFT"]);
      expect(bot.notes).toContainEqual(
        expect.objectContaining({
          type: "quoteReason",
          reason: expect.stringContaining("the venue is not believed"),
        }),
      );
      expect(placesOf(bot.after(10, { type: "operator", command: "resume" }))).toHaveLength(1);
    });

    it("quotes the market again when a resume came before", () => {
      const before = left();
      before.after(10, { type: "operator", command: "resume" });
      expect(restarted(before.carried).places.size).toBe(1);
    });
  });
});

describe("an impossible report of an own order", () => {
  it.each<[string, Partial<OrderReport>]>([
    ["on the other side", { side: "SELL" }],
    ["executed beyond its size", { executedQty: fixed("3") }],
  ])("%s is not used but asked for again, and leaves the market when REST says it", (_, told) => {
    const { bot, intent } = quoting();
    const input = bot.event(intent, "CANCELED");
    if (input.type !== "orderEvent") throw new Error("no event");
    const order = { ...input.event.order, ...told };
    expect(readsOf(bot.after(10, { ...input, event: { ...input.event, order } }))).toContain(
      "order",
    );
    expect(codesOf(bot)).toEqual(["ORDER_IMPOSSIBLE"]);
    expect(bot.kernel.sizes["live"]).toBe(1);
    bot.after(10, { type: "order", orderId: order.orderId, report: { ...order, status: "NEW" } });
    expect(codesOf(bot)).toEqual(["ORDER_IMPOSSIBLE", "ORDER_IMPOSSIBLE", "MARKET_LEFT"]);
    expect(bot.kernel.sizes["live"]).toBe(1);
  });
});

describe("an impossible book", () => {
  const at = (bot: Harness, price: number): Input => ({
    type: "trade",
    trade: {
      marketId: market.marketId,
      tradeId: "p1",
      price,
      quantity: 1,
      timeMs: unixMs(bot.nowMs),
      isBuyerMaker: true,
    },
  });

  it("that is crossed is not quoted from until it is right again", () => {
    const { bot, intent } = quoting();
    bot.after(10, bot.depth(101, [2005, 1], []), bot.event(intent, "CANCELED"));
    expect(codesOf(bot)).toEqual(["BOOK_IMPOSSIBLE"]);
    expect(placesOf(bot.last.effects)).toEqual([]);
    expect(placesOf(bot.after(10, bot.depth(102, [2005, 0], [])))).toHaveLength(1);
  });

  it("that stays crossed for longer than staleBook leaves the market", () => {
    const { bot } = quoting();
    bot.after(10, bot.depth(101, [2005, 1], []));
    const canceled: unknown[] = [];
    for (let second = 1; second <= 11; second += 1) {
      const read = bot.last.effects.some(({ type }) => type === "book");
      canceled.push(
        ...cancelsOf(bot.after(1_000, ...(read ? [bot.snapshot(2005, 2001, 101)] : []))),
      );
    }
    expect(codesOf(bot)).toEqual(["BOOK_IMPOSSIBLE", "MARKET_LEFT"]);
    // Its cancel gets no answer here, so it is sent again and again.
    expect(new Set(canceled).size).toBe(1);
  });

  it("whose mid jumps beyond the collar is not quoted from while trades stay, and is when they follow", () => {
    const { bot, intent } = quoting(2190);
    bot.after(10, at(bot, 2000), bot.event(intent, "CANCELED"));
    const jump = bot.depth(101, [1999, 0, 2199, 5], [2001, 0, 2201, 5]);
    expect(placesOf(bot.after(10, jump))).toEqual([]);
    expect(codesOf(bot)).toEqual(["BOOK_IMPOSSIBLE"]);
    expect(placesOf(bot.after(10, at(bot, 2000)))).toEqual([]);
    expect(placesOf(bot.after(10, at(bot, 2195)))).toHaveLength(1);
  });

  it("that jumps in a market without trades is believed after ten seconds", () => {
    const { bot } = quoting();
    const { marketId } = market;
    bot.after(10, bot.depth(101, [1999, 0, 2199, 5], [2001, 0, 2201, 5]));
    expect(codesOf(bot)).toEqual(["BOOK_IMPOSSIBLE"]);
    expect(bot.kernel.mid(marketId)).toBeUndefined();
    bot.after(10_000, bot.depth(102, [2100, 1], []));
    expect(bot.kernel.mid(marketId)).toBe(2200);
    expect(codesOf(bot)).not.toContain("MARKET_LEFT");
  });

  it("that jumped is believed once the last trade is old, although nothing in it changes any more", () => {
    const { bot } = quoting();
    bot.after(10, at(bot, 2000));
    bot.after(10, bot.depth(101, [1999, 0, 2199, 5], [2001, 0, 2201, 5]));
    bot.after(59_000);
    expect(bot.kernel.mid(market.marketId)).toBeUndefined();
    bot.after(1_000);
    expect(bot.kernel.mid(market.marketId)).toBe(2200);
  });
});

describe("a market", () => {
  it("that two lists in a row do not have is not quoted, until one lists it again", () => {
    const { bot } = quoting();
    bot.after(500);
    expect(cancelsOf(bot.step({ type: "markets", markets: [] }))).toEqual([]);
    const effects = bot.after(1_000);
    expect(readsOf(effects)).toContain("markets");
    expect(cancelsOf(bot.step({ type: "markets", markets: [] }))).toHaveLength(1);
    expect(codesOf(bot)).toEqual(["MARKET_CHANGED"]);
  });

  it("whose fees change is noted, and fills are compared with the new ones", () => {
    const known = quoting();
    const { bot } = known;
    bot.after(500);
    bot.step({ type: "markets", markets: [{ ...market, makerFee: fixed("0.01") }] });
    expect(codesOf(bot)).toEqual(["MARKET_CHANGED"]);
    bot.after(10, trade(known, { fee: fixed("0.01") }).input);
    expect(codesOf(bot)).toEqual(["MARKET_CHANGED"]);
    expect(fillsOf(bot)).toHaveLength(1);
  });
});
