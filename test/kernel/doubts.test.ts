import { describe, expect, it } from "vitest";
import { type Fixed, fixed, ZERO } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import type { OrderEvent } from "../../src/domain/order.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { FILLS_PER_ORDER_MAX } from "../../src/kernel/orders/list-span.ts";
import { carriedKey } from "../../src/orders/carried.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, market, placesOf, readsOf, unwatched } from "./harness.ts";

/** A bot with one bid of 2 at 1990, which the venue shows open. */
function quoting(
  price = 1990,
  more: Partial<KernelConfig> = {},
): { readonly bot: Harness; readonly intent: number } {
  const bot = new Harness({
    decide: () => setQuotes({ bids: [{ price, size: "2" }] }),
    config: { timing: { ...defaultTiming, marketsMs: 15 }, ...more },
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

function driftsOf(bot: Harness): Extract<Note, { type: "balanceDrift" }>[] {
  return bot.notes.flatMap((note) => (note.type === "balanceDrift" ? [note] : []));
}

describe("an impossible fill", () => {
  it("is asked for again, and booked as the list of fills has it", () => {
    const known = quoting();
    const { bot } = known;
    const { input, fill } = trade(known, { price: fixed("1000000") });
    expect(readsOf(bot.after(10, input))).toContain("fills");
    expect(codesOf(bot)).toEqual(["FILL_BEYOND_LIMIT"]);
    expect(fillsOf(bot)).toEqual([]);
    bot.after(10, { type: "fills", fills: [{ ...fill, price: fixed("1990") }] });
    expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
    expect(codesOf(bot)).toEqual(["FILL_BEYOND_LIMIT"]);
  });

  it("is booked at the limit when the list of fills repeats it, and the market is left until a resume", () => {
    const known = quoting();
    const { bot } = known;
    const { input, fill } = trade(known, { price: fixed("1000000") });
    bot.after(10, input);
    const effects = bot.after(10, { type: "fills", fills: [fill] });
    expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
    expect(codesOf(bot)).toEqual(["FILL_BEYOND_LIMIT", "FILL_BEYOND_LIMIT", "MARKET_LEFT"]);
    expect(cancelsOf(effects)).toHaveLength(1);
    const [left] = bot.notes.filter(({ type }) => type === "quoteReason").slice(-1);
    expect(left).toMatchObject({ reason: expect.stringContaining("the venue is not believed") });
    bot.after(10, bot.event(known.intent, "CANCELED"));
    const again = bot.after(10, { type: "operator", command: "resume" });
    expect(placesOf(again)).toHaveLength(1);
  });

  describe("of an order that it ends with nothing executed", () => {
    /** A stop follows. The list of open orders is empty. */
    function stopped() {
      const rate = { perSecond: 100, burst: 100, concurrency: 100 };
      const known = quoting(1990, { rate });
      const { bot, intent } = known;
      const { input, fill } = trade(known, { price: fixed("1000000") });
      if (input.type !== "orderEvent") throw new Error("no event");
      const order = bot.report(intent, "CANCELED");
      const stop = { type: "operator", command: "stop" } as const;
      bot.after(10, { ...input, event: { ...input.event, order } }, stop);
      const isOver = (): boolean => bot.last.effects.some(({ type }) => type === "finished");
      return { bot, fill, order, isOver };
    }

    it("is booked before a stop ends", () => {
      const { bot, fill, order, isOver } = stopped();
      bot.after(2_000);
      const settled = bot.after(10, { type: "order", orderId: order.orderId, report: order });
      expect(readsOf(settled)).not.toContain("openOrders");
      bot.after(10, { type: "fills", fills: [{ ...fill, price: fixed("1990") }] });
      bot.after(10, { type: "openOrders", orders: [] });
      expect(isOver()).toBe(true);
      expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
    });

    it("is awaited by a stop until the last page of a long list of fills has come", () => {
      const { bot, fill, order, isOver } = stopped();
      bot.after(2_000);
      bot.after(10, { type: "order", orderId: order.orderId, report: order });
      const page = bot.after(10, { type: "fills", fills: [], isPart: true });
      expect(readsOf(page)).not.toContain("openOrders");
      bot.after(10, { type: "fills", fills: [{ ...fill, price: fixed("1990") }] });
      bot.after(10, { type: "openOrders", orders: [] });
      expect(isOver()).toBe(true);
      expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
    });

    it("does not keep a stop for another list when the event comes again", () => {
      const { bot, fill, order, isOver } = stopped();
      bot.after(2_000);
      bot.after(10, { type: "order", orderId: order.orderId, report: order });
      const repeated = bot.event(1, "CANCELED", { quantity: "1", tradeId: fill.tradeId });
      if (repeated.type !== "orderEvent") throw new Error("no event");
      bot.after(10, { ...repeated, event: { ...repeated.event, order, fill } });
      bot.after(10, { type: "fills", fills: [] });
      bot.after(10, { type: "openOrders", orders: [] });
      expect(isOver()).toBe(true);
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

  it("has the market's fee when the venue repeats one that cannot be", () => {
    const known = quoting();
    const { bot } = known;
    const { input, fill } = trade(known, { fee: fixed("260000") });
    bot.after(10, input);
    bot.after(10, { type: "fills", fills: [fill] });
    expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), market.makerFee]]);
  });

  it("of a trade that is booked with another price or quantity is not booked, and counted once for each source", () => {
    const known = quoting(1990, { doubtsChangedFills: true });
    const { bot } = known;
    const { input, fill } = trade(known, {});
    bot.after(10, input, input);
    const changed = { ...fill, price: fixed("1989"), quantity: fixed("0.5") };
    expect(codesOf(bot)).toEqual([]);
    bot.after(10, trade(known, { price: fixed("1989") }).input);
    // Has the list of fills requested.
    bot.after(10, trade(known, { tradeId: "t2", price: fixed("1000000") }).input);
    bot.after(10, { type: "fills", fills: [fill, changed, changed] });
    expect(codesOf(bot)).toEqual(["FILL_CHANGED", "FILL_BEYOND_LIMIT", "FILL_CHANGED"]);
    expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
  });

  it("that exceeds its order by dust is booked as far as the order goes", () => {
    const known = quoting();
    const { bot, intent } = known;
    bot.after(10, trade(known, {}).input);
    const last = bot.event(intent, "FILLED", { quantity: "2", tradeId: "t2" });
    if (last.type !== "orderEvent" || last.event.fill === undefined) throw new Error("no fill");
    const fill = { ...last.event.fill, quantity: fixed("1.000000000000000001") };
    bot.after(10, { ...last, event: { ...last.event, fill } });
    expect(codesOf(bot)).toEqual(["FILL_TOO_LARGE"]);
    bot.after(10, { type: "fills", fills: [fill] });
    expect(fillsOf(bot).map((row) => (row as bigint[])[1])).toEqual([fixed("1"), fixed("1")]);
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
    expect(new Set(codesOf(bot))).toEqual(new Set(["FILLS_TOO_MANY"]));
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
      expect(new Set(codesOf(bot))).toEqual(new Set(["FILLS_TOO_MANY", "MARKET_LEFT"]));
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

  describe("with a fee in a token that the market does not trade", () => {
    const feeToken = tokenId("9");

    it("is asked for again, and has the market's fee in the token received when the venue repeats it", () => {
      const known = quoting();
      const { bot } = known;
      const { input, fill } = trade(known, { fee: fixed("0.001"), feeToken });
      expect(readsOf(bot.after(10, input))).toContain("fills");
      expect(codesOf(bot)).toEqual(["FEE_TOKEN_MISMATCH"]);
      expect(fillsOf(bot)).toEqual([]);
      bot.after(10, { type: "fills", fills: [fill] });
      expect(fillsOf(bot)).toEqual([[fixed("1990"), fixed("1"), market.makerFee]]);
      expect(codesOf(bot)).toEqual(["FEE_TOKEN_MISMATCH", "FEE_TOKEN_MISMATCH", "MARKET_LEFT"]);
      const [position] = bot.kernel.positions;
      expect([...(position?.position.fees.keys() ?? [])]).toEqual([market.baseToken]);
    });

    it("is booked as it is when the fee is 0", () => {
      const known = quoting();
      known.bot.after(10, trade(known, { feeToken }).input);
      expect(codesOf(known.bot)).toEqual([]);
      expect(fillsOf(known.bot)).toEqual([[fixed("1990"), fixed("1"), 0n]]);
    });
  });
});

it("an order that the venue ended and shows open later counts again, is adopted by the journal, and is canceled in a stop", () => {
  const { bot, intent } = quoting();
  bot.after(10, bot.event(intent, "CANCELED"));
  const orderId = bot.ids.get(intent);
  if (orderId === undefined) throw new Error("no id");
  bot.after(10, { type: "operator", command: "stop" });
  expect(bot.last.effects.map(({ type }) => type)).not.toContain("finished");
  const asked = bot.after(1_000);
  expect(readsOf(asked)).toContain("order");
  const effects = bot.after(10, { type: "order", orderId, report: bot.report(intent, "NEW") });
  expect(effects).toContainEqual(
    expect.objectContaining({ type: "adopt", order: expect.objectContaining({ orderId }) }),
  );
  expect(cancelsOf(effects)).toEqual([orderId]);
});

describe("a report of the balances", () => {
  it("of an earlier block is not used, and the balances are read again a second later", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
    });
    bot.block = 50;
    const [placed] = placesOf(bot.begin());
    if (placed === undefined) throw new Error("no quote");
    expect(readsOf(bot.after(defaultTiming.balancesMs))).toContain("balances");
    bot.block = 20;
    const effects = bot.after(10, bot.balances("0", "0"));
    expect(codesOf(bot)).toEqual(["BALANCES_OLD"]);
    expect(readsOf(effects)).not.toContain("balances");
    const again = bot.after(1_000);
    expect(readsOf(again)).toContain("balances");
    bot.block = 51;
    bot.after(10, bot.balances("7", "8"));
    expect(codesOf(bot)).toEqual(["BALANCES_OLD"]);
  });

  it("of a block that never comes holds back later reports for ten seconds only", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
      config: { timing: unwatched },
    });
    bot.block = 1_000_000_000;
    bot.begin(undefined, bot.balances("0", "0"));
    bot.block = 50;
    bot.after(defaultTiming.balancesMs);
    const placed: number[] = [];
    for (let second = 0; second < 11; second += 1) {
      placed.push(placesOf(bot.after(0, bot.balances())).length);
      bot.after(1_000);
    }
    expect(placed).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(codesOf(bot).slice(0, 2)).toEqual(["BALANCES_OLD", "BALANCES_OLD"]);
  });
});

it("a thousand tokens that change without an event in one report are noted one by one only as far as ten, and the bot's own always", () => {
  const bot = new Harness({
    decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
    config: { timing: { ...defaultTiming, driftMs: 5_000 } },
  });
  const told = (ownBase: string, count: number): Input => {
    const input = bot.balances(ownBase);
    if (input.type !== "balances") throw new Error("no balances");
    const others = Array.from({ length: count }, (_, at) => ({
      tokenId: tokenId(String(1_000 + at)),
      locked: ZERO,
      unlocked: fixed("1"),
    }));
    // The bot's own tokens come last, behind those that nobody asked for.
    return { ...input, balances: [...others, ...input.balances] };
  };
  bot.begin(undefined, told("100", 0));
  for (let at = 0; at < 100 && driftsOf(bot).length === 0; at += 1) {
    const reads = [...readsOf(bot.after(1_000))];
    for (let read = reads.shift(); read !== undefined; read = reads.shift()) {
      if (read === "fills") reads.push(...readsOf(bot.step({ type: "fills", fills: [] })));
      if (read === "transfers") reads.push(...readsOf(bot.step({ type: read, transfers: [] })));
      if (read === "balances") reads.push(...readsOf(bot.step(told("99", 1_000))));
    }
  }
  const tokens = driftsOf(bot).map((note) => note.tokenId);
  expect(tokens).toHaveLength(11);
  expect(tokens).toContain(market.baseToken);
  const warnings = bot.notes.flatMap((note) => (note.type === "warning" ? [note] : []));
  expect(warnings).toEqual([
    expect.objectContaining({
      code: "BALANCE_DRIFT",
      message: expect.stringContaining("990 more tokens"),
    }),
  ]);
});

describe("a book", () => {
  it("that is crossed is not quoted from until it is right again", () => {
    const { bot, intent } = quoting();
    bot.after(10, bot.depth(101, [2005, 1], []), bot.event(intent, "CANCELED"));
    expect(codesOf(bot)).toEqual(["BOOK_CROSSED"]);
    expect(placesOf(bot.last.effects)).toEqual([]);
    expect(placesOf(bot.after(10, bot.depth(102, [2005, 0], [])))).toHaveLength(1);
  });

  it("whose touch jumps beyond the collar is not bought from while trades stay", () => {
    const { bot, intent } = quoting(2190);
    const at = (price: number): Input => ({
      type: "trade",
      trade: {
        marketId: market.marketId,
        tradeId: "p1",
        price,
        quantity: 1,
        timeMs: bot.kernel.venueOffsetMs === undefined ? 0 : bot.nowMs,
        isBuyerMaker: true,
        buyOrderId: bot.ids.get(intent),
        sellOrderId: bot.ids.get(intent),
      } as Extract<Input, { type: "trade" }>["trade"],
    });
    bot.after(10, at(2000), bot.event(intent, "CANCELED"));
    const effects = bot.after(10, bot.depth(101, [1999, 0, 2199, 5], [2001, 0, 2201, 5]));
    expect(codesOf(bot)).toEqual(["TOUCH_JUMPED"]);
    expect(placesOf(effects)).toEqual([]);
    expect(placesOf(bot.after(10, at(2195)))).toHaveLength(1);
  });
});

describe("a market", () => {
  it("that two lists in a row do not have is not quoted, until one lists it again", () => {
    const { bot } = quoting();
    bot.after(10);
    expect(cancelsOf(bot.step({ type: "markets", markets: [] }))).toEqual([]);
    const effects = bot.after(1_000);
    expect(readsOf(effects)).toContain("markets");
    expect(cancelsOf(bot.step({ type: "markets", markets: [] }))).toHaveLength(1);
    expect(codesOf(bot)).toEqual(["MARKET_CHANGED"]);
  });

  it("whose fees change is noted, and fills are compared with the new ones", () => {
    const known = quoting();
    const { bot } = known;
    bot.after(10);
    bot.step({ type: "markets", markets: [{ ...market, makerFee: fixed("0.01") }] });
    expect(codesOf(bot)).toEqual(["MARKET_CHANGED"]);
    bot.after(10, trade(known, { fee: fixed("0.01") }).input);
    expect(codesOf(bot)).toEqual(["MARKET_CHANGED"]);
    expect(fillsOf(bot)).toHaveLength(1);
  });
});
