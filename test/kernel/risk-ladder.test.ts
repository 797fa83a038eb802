import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { addFixed, type Fixed, fixed, fixedText } from "../../src/domain/fixed.ts";
import { marketId, type MarketId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { KernelConfig, LadderConfig } from "../../src/kernel/config.ts";
import type { CarriedItem, Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { carriedKey } from "../../src/orders/carried.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import { type Decision, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView, RiskView } from "../../src/strategy/view.ts";
import {
  cancelCommandsOf,
  cancelsOf,
  Harness,
  hashOf,
  market,
  placesOf,
  scripted,
  unwatched,
} from "./harness.ts";

function ladder(bot: object, strategies: Record<string, object> = {}): LadderConfig {
  return {
    bot: triggersSchema("bot").parse(bot),
    strategies: Object.fromEntries(
      Object.entries(strategies).map(([name, own]) => [
        name,
        triggersSchema("strategy").parse(own),
      ]),
    ),
    widenBy: 2,
  };
}

/** One quote on each side, ten away from the first mid. */
const both = (): Decision =>
  setQuotes({
    bids: [{ price: 1990, size: "1" }],
    asks: [{ price: 2010, size: "3" }],
    tolerance: 0.000001,
  });

interface Trial {
  readonly decide?: (view: MarketView) => Decision;
  readonly ladder: LadderConfig;
  readonly carried?: readonly CarriedItem[];
  readonly config?: Partial<KernelConfig>;
}

/** A bot whose quotes, intents 1 (bid) and 2 (ask), are acknowledged. */
function quoting({ decide = both, carried, config, ...trial }: Trial): Harness {
  const bot = new Harness({ decide, config: { ladder: trial.ladder, ...config } });
  if (carried !== undefined) {
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], carried } });
  }
  bot.begin();
  for (const intent of bot.ids.keys()) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
  return bot;
}

const bought = (bot: Harness): Input => bot.event(1, "FILLED", { quantity: "1", tradeId: "first" });

const tick = (bot: Harness, id: number): Input => bot.depth(id, [1950, 1 + (id % 2)], []);

const risksOf = (notes: readonly Note[]): string[] =>
  notes.flatMap((note) => (note.type === "risk" ? [`${note.of ?? "bot"} ${note.code}`] : []));

const shown = (effects: ReturnType<Harness["step"]>): string[] =>
  placesOf(effects).map(({ side, price, quantity }) => `${side} ${price} ${fixedText(quantity)}`);

describe("the step", () => {
  it("warn changes no quote, and strategy, log and journal learn of it", () => {
    const seen: RiskView[] = [];
    const bot = quoting({
      ladder: ladder({ position: { warn: "1500" } }),
      decide: (view) => {
        seen.push(view.risk);
        return keepQuotes().type === "keep" && view.fills.length > 0 ? keepQuotes() : both();
      },
    });
    const effects = bot.step(bought(bot));
    expect(cancelsOf(effects)).toEqual([]);
    const reason = "the position of the bot is 2000 quote token, limit 1500 quote token";
    expect(bot.notes).toContainEqual({
      type: "risk",
      of: undefined,
      trigger: "position",
      step: "warn",
      code: "RISK_WARN",
      message: reason,
    });
    expect(seen.at(-1)).toEqual({ step: "warn", trigger: "position", reason });
    expect(seen[0]).toEqual({ step: "normal" });
  });

  it("widen multiplies the distance of every quote from the mid", () => {
    const bot = quoting({ ladder: ladder({ position: { widen: "1500" } }) });
    const effects = bot.step(bought(bot));
    expect(shown(effects)).toEqual(["BUY 1980 1", "SELL 2020 3"]);
    expect(cancelsOf(effects)).toEqual([hashOf(2)]);
    expect(risksOf(bot.notes)).toEqual(["bot RISK_WIDEN"]);
  });

  it("reduceOnly cancels what opens, and cuts what reduces to the position", () => {
    const bot = quoting({ ladder: ladder({ position: { reduceOnly: "1500" } }) });
    const first = bot.step(bought(bot));
    // The ask of 3 would turn the position of 1 around, and its successor waits for its end.
    expect(cancelsOf(first)).toEqual([hashOf(2)]);
    expect(shown(first)).toEqual([]);
    expect(shown(bot.after(100, bot.event(2, "CANCELED")))).toEqual(["SELL 2010 1"]);
    expect(bot.notes).toContainEqual({
      type: "quoteReason",
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY",
      reason: "reduce only: the position of the bot is 2000 quote token, limit 1500 quote token",
      inPart: false,
    });
    const intent = Math.max(...bot.ids.keys());
    bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    const flat = bot.step(bot.event(intent, "FILLED", { quantity: "1", tradeId: "second" }));
    expect(shown([...flat, ...bot.after(2_000, tick(bot, 101))])).toEqual([]);
  });

  it("reduceOnly ends stop orders that open a position and keeps those that protect it", () => {
    const bot = quoting({
      ladder: ladder({ position: { reduceOnly: "1500" } }),
      decide: () =>
        setQuotes({
          bids: [{ price: 1990, size: "1" }],
          stops: [
            { name: "entry", side: "BUY", size: "1", stopPrice: 2100 },
            { name: "floor", side: "SELL", size: "1", stopPrice: 1900 },
          ],
        }),
    });
    const bid = [...bot.places].find(([, { price }]) => price === 1990)?.[0] ?? 0;
    const entry = [...bot.places].find(([, { side, price }]) => side === "BUY" && price === 0)?.[0];
    const effects = bot.step(bot.event(bid, "FILLED", { quantity: "1", tradeId: "first" }));
    expect(cancelsOf(effects)).toEqual([hashOf(entry ?? 0)]);
  });

  it("pause cancels every quote and calls the strategy no more", () => {
    let calls = 0;
    const bot = quoting({
      ladder: ladder({ position: { pause: "1500" } }),
      decide: () => {
        calls += 1;
        return both();
      },
    });
    const before = calls;
    expect(cancelsOf(bot.step(bought(bot)))).toEqual([hashOf(2)]);
    bot.after(5_000, tick(bot, 101));
    expect(calls).toBe(before);
    expect(bot.kernel.standstill()).toBe("paused");
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "quoteReason",
        side: "SELL",
        reason:
          "paused by risk: the position of the bot is 2000 quote token, limit 1500 quote token",
      }),
    );
  });

  it("halt cancels stop orders too", () => {
    const bot = quoting({
      ladder: ladder({ position: { halt: "1500" } }),
      decide: () =>
        setQuotes({
          bids: [{ price: 1990, size: "1" }],
          stops: [{ name: "floor", side: "SELL", size: "1", stopPrice: 1900 }],
        }),
    });
    const bid = [...bot.places].find(([, { price }]) => price === 1990)?.[0] ?? 0;
    const stop = [...bot.places].find(([, { side }]) => side === "SELL")?.[0] ?? 0;
    const effects = bot.step(bot.event(bid, "FILLED", { quantity: "1", tradeId: "first" }));
    expect(cancelsOf(effects)).toEqual([hashOf(stop)]);
    expect(bot.kernel.standstill()).toBe("halted");
    expect(risksOf(bot.notes)).toEqual(["bot RISK_HALT"]);
  });
});

describe("a loss", () => {
  const losing = (): Harness =>
    quoting({ ladder: ladder({}, { maker: { sessionLoss: { warn: "1", halt: "5" } } }) });

  it("is seen when only the mid has moved, within a second", () => {
    const bot = losing();
    // Bought at 1990 with the mid at 2000: a profit of 10.
    bot.step(bought(bot));
    expect(risksOf(bot.notes)).toEqual([]);
    // The mid falls to 1980: the total is −10.
    const down = bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]);
    const effects = bot.after(1_000, down);
    expect(risksOf(bot.notes)).toEqual(["maker RISK_HALT"]);
    expect(cancelsOf(effects)).toEqual([3, 2].map(hashOf));
    expect(bot.kernel.nextDeadlineMs).toBeLessThanOrEqual(bot.nowMs + 1_000);
  });

  it("holds the step after the mid has come back, until a resume", () => {
    const bot = losing();
    bot.step(bought(bot));
    bot.after(1_000, bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]));
    bot.step(bot.event(2, "CANCELED"));
    const back = bot.depth(102, [1979, 0, 1999, 5], [1981, 0, 2001, 5]);
    expect(shown(bot.after(5_000, back))).toEqual([]);
    expect(bot.kernel.resumeReport("maker").holding).toEqual([]);
    const resumed = bot.step({ type: "operator", command: "resume", strategy: "maker" });
    expect(shown(resumed)).toEqual(["BUY 1990 1", "SELL 2010 3"]);
    expect(risksOf(bot.notes)).toEqual(["maker RISK_HALT", "maker RISK_NORMAL"]);
  });

  it("that is still there after a resume acts again, and one that was resumed by force counts anew", () => {
    const bot = losing();
    bot.step(bought(bot));
    bot.after(1_000, bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]));
    bot.step(bot.event(2, "CANCELED"));
    const holding = "the session loss of maker is 10 quote token, limit 5 quote token";
    expect(bot.kernel.resumeReport().holding).toEqual([holding]);
    expect(shown(bot.step({ type: "operator", command: "resume" }))).toEqual([]);
    const forced = bot.step({ type: "operator", command: "resume", force: true });
    expect(shown(forced)).toEqual(["BUY 1980.9 1", "SELL 2010 3"]);
    // Five more from here on.
    const further = bot.depth(102, [1979, 0, 1973, 5], [1981, 0, 1975, 5]);
    bot.after(1_000, further);
    expect(risksOf(bot.notes).at(-1)).toBe("maker RISK_HALT");
  });
});

describe("a step", () => {
  const limits = ladder({ position: { halt: "1500" } }, { maker: { dayLoss: { warn: "5" } } });

  /** What a run with a halt, a loss of the day and a peak leaves. */
  function left(): readonly CarriedItem[] {
    const bot = quoting({ ladder: limits });
    bot.step(bought(bot));
    return [...new Map(bot.carried.map((item) => [carriedKey(item), item])).values()];
  }

  it("lasts over a restart, until a resume", () => {
    const bot = quoting({ ladder: limits, carried: left() });
    expect(bot.ids.size).toBe(0);
    bot.after(60_000, tick(bot, 101));
    expect(bot.ids.size).toBe(0);
    expect(bot.kernel.standstill()).toBe("halted");
    // The position still is 2000: a plain resume would change nothing.
    expect(bot.kernel.resumeReport().holding).toHaveLength(1);
  });

  it("counts the day's loss from the start of the day over a restart", () => {
    const earlier = left();
    const open = ladder({}, { maker: { dayLoss: { warn: "5" } } });
    const bot = quoting({ ladder: open, carried: earlier });
    // Carried: bought 1 at 1990. The day began at 0, and the mid is 1980 now: a loss of 10.
    bot.after(1_000, bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]));
    expect(risksOf(bot.notes)).toEqual(["maker RISK_WARN"]);
  });

  it("of one strategy leaves the others alone, and one of the bot takes all", () => {
    const definition = scripted(both);
    const other = { name: "other", definition, params: {}, marketId: market.marketId, seed: 2 };
    const strategies = [{ ...other, name: "maker" }, other];
    const own = quoting({
      ladder: ladder({}, { maker: { position: { pause: "1500" } } }),
      config: { strategies },
    });
    expect(cancelsOf(own.step(bought(own)))).toEqual([hashOf(2)]);
    expect(own.kernel.standstill()).toBeUndefined();
    expect(own.kernel.standstill("maker")).toBe("paused");
    expect(own.kernel.standstill("other")).toBeUndefined();
    const all = quoting({
      ladder: ladder({ position: { pause: "1500" } }),
      config: { strategies },
    });
    expect(cancelsOf(all.step(bought(all)))).toEqual([2, 3, 4].map(hashOf));
  });
});

describe("a bot that trades other markets than the run before", () => {
  const day = Math.floor(new Harness({ decide: both }).nowMs / 86_400_000);
  const otherMarket = marketId("3", "2");
  const flat = { type: "position", base: "0", cost: "0", fees: {}, peak: "0", maxDrawdown: "0" };
  /** 140 were lost here, and 30 in the market that is gone. */
  const positions = (baseElsewhere: string): CarriedItem[] => [
    { ...flat, type: "position", strategy: "maker", marketId: market.marketId, quote: "-140" },
    {
      ...flat,
      type: "position",
      strategy: "gone",
      marketId: otherMarket,
      quote: "-30",
      base: baseElsewhere,
    },
  ];
  const bothMarkets = [market.marketId, otherMarket].sort();

  function continued(markets: readonly MarketId[], baseElsewhere = "0"): Harness {
    const baseline = { markets, currency: market.quoteToken, day, dayStart: "0", peak: "0" };
    return quoting({
      ladder: ladder({ dayLoss: { halt: "135" } }),
      carried: [{ type: "risk", rungs: [], baseline }, ...positions(baseElsewhere)],
    });
  }

  const haltedAt = (bot: Harness): string[] =>
    bot.notes.flatMap((note) => (note.type === "risk" ? [note.message] : []));

  it("still counts what it lost today in a market that is gone", () => {
    expect(haltedAt(continued(bothMarkets))).toEqual([
      "the day loss of the bot is 170 quote token, limit 135 quote token",
    ]);
  });

  it("takes no earlier loss in a market that is new for one of today", () => {
    // The total was 0 without this market, and is -140 with it.
    expect(haltedAt(continued([otherMarket]))).toEqual([]);
  });

  it("leaves the next run a count over the new markets", () => {
    const items = continued(bothMarkets).carried.filter(({ type }) => type === "risk");
    expect(items[0]).toMatchObject({ baseline: { markets: [market.marketId], dayStart: "30" } });
  });

  it("counts anew, and says so, when a position is open in a market that is gone", () => {
    const bot = continued(bothMarkets, "1");
    expect(haltedAt(bot)).toEqual([]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ type: "warning", code: "LOSS_COUNTED_ANEW" }),
    );
  });
});

describe("a bot with several quote tokens", () => {
  const second = { ...market, marketId: marketId("1", "3"), quoteToken: tokenId("3") };
  const day = Math.floor(new Harness({ decide: both }).nowMs / 86_400_000);
  const flat = { base: "0", cost: "0", fees: {}, peak: "0", maxDrawdown: "0" } as const;
  const lost: CarriedItem = {
    ...flat,
    type: "position",
    strategy: "second",
    marketId: second.marketId,
    quote: "-100",
  };
  const markets = [market.marketId, second.marketId].sort();

  /** Lost 100 of token 3 today; the mids are 2000 in token 2 and `mid` in token 3. */
  function after(mid: number, currency: string, carriedCurrency = currency): Harness {
    const strategies = [market, second].map((one) => ({
      name: one === market ? "maker" : "second",
      definition: scripted(both),
      params: {},
      marketId: one.marketId,
      seed: 1,
    }));
    const bot = new Harness({
      decide: both,
      config: {
        ladder: ladder({ dayLoss: { halt: "199" } }),
        markets: [market, second],
        strategies,
        reportingCurrency: tokenId(currency),
      },
    });
    const start = { markets, currency: tokenId(carriedCurrency), day, dayStart: "0", peak: "0" };
    const carried: CarriedItem[] = [lost, { type: "risk", rungs: [], baseline: start }];
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], carried } });
    bot.begin();
    const input = bot.snapshot(mid - 1, mid + 1);
    if (input.type !== "book") throw new Error("a book");
    bot.step({ type: "book", snapshot: { ...input.snapshot, marketId: second.marketId } });
    bot.after(1_000);
    return bot;
  }

  it("counts a loss in one currency at the mids", () => {
    // 100 of token 3 are worth 200 of token 2 when a unit of token 1 costs half as many.
    expect(risksOf(after(1000, "2").notes)).toEqual(["bot RISK_HALT"]);
    expect(risksOf(after(1010, "2").notes)).toEqual([]);
    expect(risksOf(after(1000, "3").notes)).toEqual([]);
  });

  it("counts anew, and says so, in another currency than before", () => {
    const { notes, carried } = after(1000, "2", "3");
    expect(risksOf(notes)).toEqual([]);
    expect(notes).toContainEqual(expect.objectContaining({ code: "LOSS_COUNTED_ANEW" }));
    const kept = carried.findLast((item) => item.type === "risk");
    expect(kept).toMatchObject({ baseline: { currency: "2", dayStart: "-200" } });
  });
});

describe("a position in a market without a mid since the start", () => {
  const blind = { ...market, marketId: marketId("3", "2"), baseToken: tokenId("3") };
  const held: CarriedItem = {
    type: "position",
    strategy: "other",
    marketId: blind.marketId,
    base: "1",
    quote: "-100",
    cost: "100",
    fees: {},
    peak: "0",
    maxDrawdown: "0",
  };
  const book = (bot: Harness, asks: readonly number[]): Input => ({
    type: "book",
    snapshot: {
      marketId: blind.marketId,
      lastId: 100,
      timeMs: unixMs(bot.nowMs),
      bids: Float64Array.of(100, 5),
      asks: Float64Array.from(asks),
    },
  });

  /** A bot with quotes in one market, and an open position in another whose book has no asks. */
  function halfBlind(triggers: object): Harness {
    const strategy = { params: {}, seed: 1 };
    const definition = scripted(both);
    const bot = new Harness({
      decide: both,
      config: {
        markets: [market, blind],
        strategies: [
          { ...strategy, name: "maker", definition, marketId: market.marketId },
          {
            ...strategy,
            name: "other",
            definition: scripted(() => keepQuotes()),
            marketId: blind.marketId,
          },
        ],
        ladder: ladder(triggers),
        timing: unwatched,
      },
    });
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], carried: [held] } });
    bot.step(
      { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    bot.step({ type: "openOrders", orders: [] });
    bot.step(bot.snapshot(1999, 2001), book(bot, []), bot.balances());
    for (const intent of bot.ids.keys()) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    return bot;
  }

  /** Fills the first bid, and lets ten seconds pass. Returns what was canceled. */
  function afterTenSeconds(bot: Harness): readonly string[] {
    bot.step(bought(bot));
    const canceled: string[] = [];
    let shown = 2;
    for (let at = 1; at <= 20; at += 1) {
      const effects = bot.after(500, tick(bot, 100 + at));
      canceled.push(...cancelsOf(effects));
      // The venue shows what it is sent.
      const placed = [...bot.ids.keys()].filter((intent) => intent > shown);
      shown = Math.max(shown, ...placed);
      for (const { intent } of cancelCommandsOf(effects)) bot.step(bot.accepted(intent));
      for (const intent of placed) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    }
    return canceled;
  }

  it("hides no loss in another: nothing is quoted after ten seconds, until there is a mid", () => {
    const bot = halfBlind({ dayLoss: { halt: "5" } });
    expect(bot.ids.size).toBe(2);
    expect(afterTenSeconds(bot)).toContain(hashOf(2));
    const reason =
      "the day loss of the bot cannot be measured without a mid of 3_2, and there was none in this run";
    const message = `nothing is quoted in any market: ${reason}`;
    const warning = { type: "warning", code: "RISK_NOT_MEASURED", message };
    expect(bot.notes.filter((note) => note.type === "warning")).toEqual([warning]);
    expect(bot.notes).toContainEqual({
      type: "quoteReason",
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY",
      reason,
      inPart: false,
    });
    for (const intent of bot.ids.keys()) {
      if (intent > 1) bot.step(bot.event(intent, "CANCELED"));
    }
    expect(shown(bot.after(1_000, tick(bot, 121)))).toEqual([]);
    const ask: Input = {
      type: "depth",
      event: {
        marketId: blind.marketId,
        firstId: 101,
        finalId: 101,
        timeMs: unixMs(bot.nowMs),
        bids: new Float64Array(),
        asks: Float64Array.of(102, 5),
      },
    };
    const back = [...bot.after(1_000, ask), ...bot.after(100, tick(bot, 122))];
    expect(shown(back)).toEqual(["BUY 1990 1", "SELL 2010 3"]);
  });

  it("leaves the others as they are when the trigger only warns", () => {
    const bot = halfBlind({ dayLoss: { warn: "5" } });
    expect(afterTenSeconds(bot)).toEqual([]);
    expect(bot.notes.filter((note) => note.type === "warning")).toEqual([]);
  });
});

describe("the triggers of the kernel", () => {
  it("count rejects of the venue and recover when the trigger says so", () => {
    const bot = quoting({
      ladder: ladder({ rejects: { pause: 2, window: "10s", recoverAfter: "20s" } }),
    });
    bot.step(bot.event(1, "REJECTED"), bot.event(2, "REJECTED"));
    expect(risksOf(bot.notes)).toEqual(["bot RISK_PAUSE"]);
    for (let second = 0; second < 29; second += 1) bot.after(1_000, tick(bot, 101 + second));
    expect(risksOf(bot.notes)).toEqual(["bot RISK_PAUSE"]);
    for (let second = 0; second < 2; second += 1) bot.after(1_000, tick(bot, 130 + second));
    expect(risksOf(bot.notes)).toEqual(["bot RISK_PAUSE", "bot RISK_NORMAL"]);
  });

  describe("count a reject", () => {
    const counted = ladder({ rejects: { warn: 1, pause: 2 } });
    const refused = (intent: number): Input => ({
      type: "response",
      intent,
      outcome: { type: "refused", reason: "invalid", message: "no", retryAfterMs: undefined },
    });

    /** Refuses the bid's placement and rejects the order after that. */
    function refusedAndRejected(config: LadderConfig): string[] {
      const bot = new Harness({ decide: both, config: { ladder: config } });
      bot.begin();
      bot.step(refused(1));
      bot.step(bot.event(1, "REJECTED"));
      return risksOf(bot.notes);
    }

    it("once, also when the venue refuses an order and then rejects it", () => {
      expect(refusedAndRejected(counted)).toEqual(["bot RISK_WARN"]);
    });

    it("not for a refused modify, whose order was filled first", () => {
      const bot = quoting({
        ladder: counted,
        decide: ({ book: { mid = 0 } }) =>
          setQuotes({
            bids: [{ price: mid - 2, size: "1" }],
            asks: [{ price: mid + 2, size: "1" }],
          }),
        config: { useModify: true },
      });
      const effects = bot.after(2_000, bot.depth(101, [2000, 5, 1999, 0], [2002, 5, 2001, 0]));
      const [sell, buy] = effects.flatMap((effect) => (effect.type === "modify" ? [effect] : []));
      if (sell === undefined || buy === undefined) throw new Error("both move");
      bot.step(bot.accepted(sell.intent), bot.event(sell.intent, "NEW"), bought(bot));
      bot.step(refused(buy.intent));
      expect(risksOf(bot.notes)).toEqual([]);
    });
  });

  it("measure the worst case of open orders", () => {
    // 3 sold at a mid of 2000 would be a position of −6000.
    const bot = quoting({ ladder: ladder({ exposure: { warn: "6000", halt: "6001" } }) });
    bot.after(1_000, tick(bot, 101));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        code: "RISK_WARN",
        message: "the worst-case exposure of the bot is 6000 quote token, limit 6000 quote token",
      }),
    );
  });

  it("see an unknown order, stale data, a clock that moves and a failed strategy", () => {
    let isBroken = false;
    const definition = scripted(() => {
      if (isBroken) throw new Error("a trap");
      return both();
    });
    const other = { name: "other", definition, params: {}, marketId: market.marketId, seed: 2 };
    const bot = quoting({
      config: { strategies: [{ ...other, name: "maker", definition: scripted(both) }, other] },
      ladder: ladder({
        unknownAge: { warn: "2s" },
        staleData: { warn: "4s" },
        clockChange: { warn: "3s" },
        strategyFaults: { warn: 1 },
      }),
    });
    const named = (): string[] =>
      bot.notes.flatMap((note) => (note.type === "risk" ? [note.trigger] : []));
    isBroken = true;
    bot.after(1_000, tick(bot, 101));
    bot.after(1_000, tick(bot, 102));
    expect(named()).toEqual(["strategyFaults"]);
    bot.after(1_000);
    bot.after(3_000);
    expect(named()).toEqual(["strategyFaults", "staleData"]);
    bot.step({ type: "clockStepped", byMs: 1 });
    bot.step({ type: "venueTime", offsetMs: 3_000, roundTripMs: 1 });
    expect(named()).toEqual(["strategyFaults", "staleData", "clockChange"]);
  });

  it.each(["pure-market-making", "bracket-entry"])(
    "leave a bot alone after an outage of a minute and more, as config/%s.yaml sets them",
    (name) => {
      const url = new URL(`../../config/${name}.yaml`, import.meta.url);
      const { risk } = parse(readFileSync(url, "utf8")) as { risk: { triggers: object } };
      let price = 1990;
      const bot = quoting({
        decide: () => setQuotes({ bids: [{ price, size: "1" }] }),
        ladder: ladder(risk.triggers),
      });
      price = 1989;
      bot.after(1_000, tick(bot, 101));
      const unknown = Math.max(...bot.ids.keys());
      bot.step({ type: "response", intent: unknown, outcome: { type: "unknown", message: "cut" } });
      for (let second = 0; second < 75; second += 1) {
        bot.after(1_000, { type: "stream", state: "alive", reason: "" });
      }
      expect(bot.notes.filter(({ type }) => type === "risk")).toMatchObject([
        { trigger: "unknownAge", step: "warn" },
      ]);
    },
  );

  it("compare fees with the market's rate", () => {
    const bot = quoting({ ladder: ladder({ feeSurprise: { halt: "0.01%" } }) });
    const paying = (status: "PARTIALLY_FILLED" | "FILLED", executed: string, fee: Fixed): Input => {
      const input = bot.event(1, status, { quantity: executed, tradeId: status });
      if (input.type !== "orderEvent" || input.event.fill === undefined) throw new Error("a fill");
      const fill = { ...input.event.fill, quantity: fixed("0.5"), fee };
      return { ...input, event: { ...input.event, fill } };
    };
    const half = (fee: Fixed): Fixed => (fee / 2n) as Fixed;
    bot.step(paying("PARTIALLY_FILLED", "0.5", half(market.makerFee)));
    expect(risksOf(bot.notes)).toEqual([]);
    bot.step(paying("FILLED", "1", half(addFixed(market.makerFee, fixed("0.0001")))));
    expect(risksOf(bot.notes)).toEqual(["bot RISK_HALT"]);
  });

  it("note nothing without a ladder", () => {
    const bot = new Harness({ decide: both });
    bot.begin();
    for (const intent of [1, 2]) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    expect(risksOf(bot.notes)).toEqual([]);
  });
});
