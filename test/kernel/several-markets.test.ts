import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { flatPosition } from "../../src/orders/position-book.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import {
  type Decision,
  defineStrategy,
  inMarkets,
  keepQuotes,
  noQuotes,
  setQuotes,
} from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { testMarket } from "../support/exchange.ts";
import { cancelsOf, Harness, hashOf, market, placesOf, start, unwatched } from "./harness.ts";

const EUR = tokenId("3");
const hedge = testMarket({
  marketId: marketId("1", "3"),
  quoteToken: EUR,
  ticker: "ETH/EUR",
});

type Decide = (view: MarketView) => Decision;

/** One bid in each market. */
const quoteBoth: Decide = () =>
  inMarkets({
    main: setQuotes({ bids: [{ price: 1990, size: "1" }] }),
    hedge: setQuotes({ bids: [{ price: 1750, size: "2" }] }),
  });

/** A bot with one strategy that trades in `main` and in `hedge`, with the views that it got. */
function botWith(decide: Decide, more: Partial<KernelConfig> = {}) {
  const views: MarketView[] = [];
  const definition = defineStrategy({
    name: "pair",
    markets: ["main", "hedge"],
    params: z.unknown(),
    state: { version: 1, save: ({ calls }) => ({ calls }), load: (_, __, state) => state },
    init: () => ({ calls: 0 }),
    decide({ view, state }) {
      state.calls += 1;
      views.push(view);
      return decide(view);
    },
  });
  const otherMarkets = { hedge: hedge.marketId };
  const binding = { name: "pair", definition, params: {}, marketId: market.marketId, seed: 1 };
  const bot = new Harness({
    decide: () => keepQuotes(),
    config: {
      markets: [market, hedge],
      strategies: [{ ...binding, otherMarkets }],
      timing: unwatched,
      risk: riskSchema.parse({ staleBook: "10s" }),
      ...more,
    },
  });
  return { bot, views };
}

const hedgeBook = (bot: Harness): Input => bot.snapshot(1799, 1801, 100, hedge);

const withEur = (bot: Harness): Input => {
  const input = bot.balances();
  if (input.type !== "balances") return input;
  const euros = { tokenId: EUR, locked: ZERO, unlocked: fixed("1000000") };
  return { ...input, balances: [...input.balances, euros] };
};

/** Starts it with books in both markets. */
function begin(bot: Harness): readonly Effect[] {
  return [...bot.begin(undefined, withEur(bot)), ...bot.step(hedgeBook(bot))];
}

const marketsOf = (effects: readonly Effect[]): readonly string[] =>
  effects.flatMap((effect) => (effect.type === "place" ? [effect.marketId] : []));

describe("a strategy with two markets", () => {
  test("quotes in both, and sees both with their own books and orders", () => {
    const { bot, views } = botWith(quoteBoth);
    expect(marketsOf(begin(bot)).toSorted()).toEqual([market.marketId, hedge.marketId]);
    bot.after(10, bot.depth(101, [1999, 6], []));
    const view = views.at(-1);
    expect(view?.market.marketId).toBe(market.marketId);
    expect(Object.keys(view?.markets ?? {})).toEqual(["main", "hedge"]);
    expect(view?.markets["main"]).toBe(view);
    expect(view?.markets["hedge"]?.book.mid).toBe(1800);
    expect(view?.markets["hedge"]?.orders.map(({ price }) => price)).toEqual([1750]);
    expect(view?.orders.map(({ price }) => price)).toEqual([1990]);
  });

  test("is called while one of them has no book, and quotes nothing there until it has", () => {
    const { bot, views } = botWith(quoteBoth);
    expect(marketsOf(bot.begin(undefined, withEur(bot)))).toEqual([market.marketId]);
    expect(views.at(-1)?.markets["hedge"]?.isFresh).toBe(false);
    expect(views.at(-1)?.markets["hedge"]?.book.mid).toBeUndefined();
    expect(marketsOf(bot.step(hedgeBook(bot)))).toEqual([hedge.marketId]);
  });

  test("is called again when a market has a book for which its decision came too early", () => {
    const { bot, views } = botWith((view) =>
      inMarkets({
        main: keepQuotes({ wakeAtMs: view.nowMs + 60_000, wakeOn: "time" }),
        hedge: setQuotes({
          bids: [{ price: 1750, size: "2" }],
          wakeAtMs: view.nowMs + 60_000,
          wakeOn: "time",
        }),
      }),
    );
    bot.begin(undefined, withEur(bot));
    expect(views).toHaveLength(1);
    expect(marketsOf(bot.after(10, hedgeBook(bot)))).toEqual([hedge.marketId]);
  });

  test("is not called while no market is fresh", () => {
    const { bot, views } = botWith(quoteBoth);
    begin(bot);
    const calls = views.length;
    bot.after(20_000);
    expect(views).toHaveLength(calls);
  });

  test("a stale book pulls the quotes of its market alone, and the other one goes on", () => {
    const { bot, views } = botWith(quoteBoth);
    begin(bot);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    // A gap: its book has to be read again, and the answer is late.
    bot.step(bot.depth(150, [1799, 6], [], hedge));
    const pulled: string[] = [];
    for (let id = 101; id < 130; id += 1) {
      pulled.push(...cancelsOf(bot.after(500, bot.depth(id, [1999, id], []))));
    }
    expect(new Set(pulled)).toEqual(new Set([hashOf(2)]));
    expect(views.at(-1)?.isFresh).toBe(true);
    expect(views.at(-1)?.markets["hedge"]).toMatchObject({ isFresh: false, quotesPulled: true });
    bot.step(bot.event(2, "CANCELED"));
    expect(marketsOf(bot.after(500, bot.snapshot(1799, 1801, 200, hedge)))).toEqual([
      hedge.marketId,
    ]);
  });

  test("a market that the venue does not list any more is pulled alone", () => {
    const { bot, views } = botWith(quoteBoth, { timing: { ...defaultTiming, marketsMs: 500 } });
    begin(bot);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const list = (): Input => ({
      type: "markets",
      markets: [market, { ...hedge, listed: false }],
    });
    bot.after(500);
    bot.step(list());
    bot.after(1_000);
    const effects = bot.step(list());
    expect(cancelsOf(effects)).toEqual([hashOf(2)]);
    bot.after(10, bot.depth(101, [1999, 7], []));
    expect(views.at(-1)).toMatchObject({ isFresh: true });
    expect(views.at(-1)?.markets["hedge"]?.isFresh).toBe(false);
  });

  test("a fill in another market wakes a strategy that waits for its orders", () => {
    const { bot, views } = botWith((view) => {
      if (views.length > 2) return keepQuotes({ wakeOn: "orders" });
      const decision = quoteBoth(view);
      return { ...decision, wakeOn: "orders" };
    });
    begin(bot);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const calls = views.length;
    bot.after(10, bot.depth(101, [1999, 6], []), bot.depth(101, [1799, 6], [], hedge));
    expect(views).toHaveLength(calls);
    bot.after(10, bot.event(2, "PARTIALLY_FILLED", { quantity: "1", tradeId: "7" }));
    const view = views.at(-1);
    expect(views.length).toBeGreaterThan(calls);
    expect(view?.fills).toEqual([]);
    expect(view?.markets["hedge"]?.fills).toMatchObject([{ side: "BUY" }]);
    expect(view?.markets["hedge"]?.position.base.toString()).toBe("1");
    expect(view?.position.base.toString()).toBe("0");
  });

  test("its earliest wake time counts, and the wakeOn that is woken by most", () => {
    const { bot, views } = botWith((view) =>
      inMarkets({
        main: keepQuotes({ wakeAtMs: view.nowMs + 500, wakeOn: "time" }),
        hedge: keepQuotes({ wakeAtMs: view.nowMs + 200, wakeOn: "orders" }),
      }),
    );
    begin(bot);
    const [calls, atMs] = [views.length, views.at(-1)?.nowMs ?? 0];
    bot.after(100, bot.depth(101, [1999, 6], []), bot.depth(101, [1799, 6], [], hedge));
    expect(views).toHaveLength(calls);
    expect(bot.kernel.nextDeadlineMs).toBe(atMs + 200);
    bot.after(150);
    expect(views).toHaveLength(calls + 1);
  });

  test("a market that is left out of a decision stays as it is", () => {
    const { bot } = botWith((view) =>
      view.markets["hedge"]?.orders.length === 1
        ? setQuotes({ bids: [{ price: 1980, size: "1" }] })
        : quoteBoth(view),
    );
    begin(bot);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    expect(cancelsOf(bot.after(500, bot.depth(101, [1999, 6], [])))).not.toContain(hashOf(2));
  });

  test.each([
    [inMarkets({ hegde: noQuotes("") }), 'a market "hegde", which it does not have, did you mean'],
    [inMarkets({ main: JSON.parse("7") }), 'the decision for the market "main" is 7'],
  ])("a decision for no market of its own ends the strategy, in all of them", (wrong, message) => {
    let isWrong = false;
    const { bot } = botWith((view) => (isWrong ? wrong : quoteBoth(view)));
    begin(bot);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    isWrong = true;
    const effects = bot.after(500, bot.depth(101, [1999, 6], []));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "strategyFault",
        message: expect.stringContaining(message),
      }),
    );
    expect(cancelsOf(effects).toSorted()).toEqual([hashOf(1), hashOf(2)]);
  });

  test("its state is saved once, with its own market", () => {
    const { bot } = botWith(quoteBoth);
    begin(bot);
    const saved = bot.carried.filter(({ type }) => type === "state");
    expect(saved).toMatchObject([{ strategy: "pair", marketId: market.marketId }]);
  });

  test("a restart takes over its orders in both markets, and its positions", () => {
    const { bot, views } = botWith(quoteBoth);
    const order = (intent: number, id: string, price: number) => ({
      orderId: hashOf(intent),
      nonce: start - 1_000 + intent,
      strategy: "pair",
      marketId: marketId("1", id),
      side: "BUY" as const,
      price,
      quantity: intent === 98 ? "1" : "2",
      executed: "0",
      tradeIds: [],
    });
    const position = {
      ...flatPosition("pair", hedge.marketId),
      base: "5",
      quote: "-9000",
    };
    bot.step({
      type: "restored",
      restored: {
        nonceHighWater: start - 1,
        orders: [order(98, "2", 1990), order(99, "3", 1750)],
        carried: [position],
      },
    });
    begin(bot);
    expect(bot.notes.filter((note) => note.type === "warning")).toEqual([]);
    expect(views.at(-1)?.markets["hedge"]?.position.base.toString()).toBe("5");
  });
});

describe("risk.maxNet", () => {
  test("bounds the position over both markets, with what is under way in them", () => {
    const { bot } = botWith(quoteBoth, { risk: riskSchema.parse({ maxNet: "3.5" }) });
    expect(marketsOf(begin(bot)).toSorted()).toEqual([market.marketId, hedge.marketId]);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    bot.after(500, bot.event(1, "FILLED", { quantity: "1", tradeId: "7" }));
    // 1 is held, 2 more are wanted in the other market, and 1 more here would be too much.
    bot.after(500, bot.depth(101, [1999, 6], []));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "denied",
        marketId: market.marketId,
        reason: { rule: "max-net", limit: "3.5", actual: "4" },
      }),
    );
  });
});

describe("a strategy's own triggers of the risk ladder", () => {
  test("count all its markets, converted to the quote token of its own", () => {
    const { bot } = botWith(quoteBoth, {
      ladder: {
        bot: {},
        strategies: {
          pair: riskSchema.parse({ triggers: { position: { halt: "1500" } } }).triggers,
        },
        widenBy: 2,
      },
    });
    begin(bot);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    // 1 ETH is worth 2,000 USDT, whichever market it was bought in.
    bot.after(10, bot.event(2, "PARTIALLY_FILLED", { quantity: "1", tradeId: "7" }));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ type: "risk", of: "pair", step: "halt" }),
    );
  });
});

describe("a flatten of opposite positions", () => {
  /** Holds 3 in main and -2 in hedge, and flattens with these asks in hedge: price and quantity. */
  function flattened(...asks: number[]) {
    const { bot } = botWith(() => keepQuotes());
    const carried = [
      { type: "position", strategy: "pair", marketId: market.marketId, ...flat, base: "3" },
      { type: "position", strategy: "pair", marketId: hedge.marketId, ...flat, base: "-2" },
    ] as const;
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], carried } });
    begin(bot);
    bot.step(bot.depth(101, [], [1801, 0, ...asks], hedge));
    const terms = { maxSlippage: 0.002, withinMs: 4_000 };
    const effects = bot.step({ type: "operator", command: "flatten", ...terms });
    return { bot, effects };
  }

  const flat = { quote: "0", cost: "0", fees: {}, peak: "0", maxDrawdown: "0" };
  const sent = (effects: readonly Effect[]) =>
    placesOf(effects).map(({ side, quantity }) => [side, fixedText(quantity)]);

  /** What is sent next after these orders were filled. */
  function next(bot: Harness, ...filled: (readonly [intent: number, quantity: string])[]) {
    const effects = filled.flatMap(([intent, quantity]) =>
      bot.step(bot.event(intent, "FILLED", { quantity, tradeId: String(intent) })),
    );
    return sent([...effects, ...bot.after(250)]);
  }

  test("trades the difference, and then both at once in fifths", () => {
    const { bot, effects } = flattened(1801, 5);
    expect(sent(effects)).toEqual([["SELL", "1"]]);
    const fifth = [
      ["SELL", "0.4"],
      ["BUY", "0.4"],
    ];
    expect(next(bot, [1, "1"])).toEqual(fifth);
    for (let intent = 2; intent < 10; intent += 2) {
      expect(next(bot, [intent, "0.4"], [intent + 1, "0.4"])).toEqual(fifth);
    }
    expect(next(bot, [10, "0.4"], [11, "0.4"])).toEqual([]);
    expect(bot.kernel.flattened()).toEqual([]);
  });

  test("trades one no further than the other can follow", () => {
    const { bot } = flattened(1801, 0.3);
    expect(next(bot, [1, "1"])).toEqual([
      ["SELL", "0.3"],
      ["BUY", "0.3"],
    ]);
  });

  test("lets a side that did not trade follow alone, however often it fails", () => {
    const { bot } = flattened(1801, 5);
    next(bot, [1, "1"]);
    bot.step(bot.event(2, "FILLED", { quantity: "0.4", tradeId: "2" }));
    expect(sent(bot.after(250))).toEqual([]);
    for (let intent = 3; intent < 6; intent += 1) {
      const effects = [...bot.step(bot.event(intent, "CANCELED")), ...bot.after(250)];
      expect(sent(effects)).toEqual([["BUY", "0.4"]]);
    }
    expect(next(bot, [6, "0.4"])).toEqual([
      ["SELL", "0.4"],
      ["BUY", "0.4"],
    ]);
  });

  test("leaves the net position no larger while one cannot trade, and names both", () => {
    const { bot, effects } = flattened();
    expect(sent(effects)).toEqual([["SELL", "1"]]);
    bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "1" }));
    expect(sent(bot.after(250))).toEqual([]);
    bot.after(4_000);
    expect(bot.kernel.flattened()).toMatchObject([
      { position: "2", reason: expect.stringMatching(/opposite position/) },
      { position: "-2", isDust: false },
    ]);
  });
});
