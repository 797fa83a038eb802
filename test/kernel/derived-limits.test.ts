import { describe, expect, it } from "vitest";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { marketId as idOfMarket, type MarketId, tokenId } from "../../src/domain/ids.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import type { CarriedItem, Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import { noQuotes, setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market, placesOf, scripted, unwatched } from "./harness.ts";

const limitsToDerive = { limits: ["maxPosition", "maxOrderNotional"], dayLoss: "bot" } as const;
const ladder = { bot: {}, strategies: {}, widenBy: 2 };
const { marketId, quoteToken } = market;

/** A bot that bids `size` at 1999; it holds 100 base and 1 000 000 quote token, the mid is 2000. */
function bidding(size: string, config: Partial<KernelConfig> = {}): Harness {
  return new Harness({
    decide: () => setQuotes({ bids: [{ price: 1999, size }], asks: [] }),
    config: { limitsToDerive, ladder, timing: unwatched, ...config },
  });
}

/** `code limit of: value` of each limit that was noted. */
function limitsIn(notes: readonly Note[]): readonly string[] {
  return notes.flatMap((note) =>
    note.type === "limit"
      ? [`${note.code} ${note.limit} ${note.of ?? "bot"}: ${fixedText(note.value)}`]
      : [],
  );
}

function restored(...carried: CarriedItem[]) {
  return { type: "restored", restored: { orders: [], nonceHighWater: 0, carried } } as const;
}

const limitItems = (items: readonly CarriedItem[]) => items.filter(({ type }) => type === "limit");

describe("limits that the configuration leaves unset", () => {
  it("are derived before the first quote", () => {
    const bot = bidding("1");
    const effects = bot.begin();
    // 100 + 1 000 000 / 2 000; (100 · 2 000 + 1 000 000) / 2; a tenth of 1 200 000.
    expect(limitsIn(bot.notes)).toEqual([
      `LIMIT_DERIVED maxPosition ${marketId}: 600`,
      `LIMIT_DERIVED maxOrderNotional ${marketId}: 600000`,
      "LIMIT_DERIVED dayLoss bot: 120000",
    ]);
    expect(placesOf(effects)).toHaveLength(1);
  });

  it("wait for a first mid, however late, so that the loss stop is never that of the quote token alone", () => {
    const bot = bidding("1");
    bot.step();
    bot.step(
      { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    bot.step({ type: "openOrders", orders: [] }, bot.balances("100", "1"));
    bot.after(10_001);
    expect(limitsIn(bot.notes)).toEqual([]);
    bot.step(bot.snapshot(1999, 2001));
    // A tenth of 100 · 2 000 + 1, with four digits.
    expect(limitsIn(bot.notes)).toContain("LIMIT_DERIVED dayLoss bot: 20000");
  });

  it("wait for a book that is proven, not one whose request is older than staleBook", () => {
    const bot = bidding("1", { timing: defaultTiming });
    bot.step();
    bot.step(
      { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    bot.step({ type: "openOrders", orders: [] }, bot.balances());
    bot.after(10_001, bot.snapshot(1999, 2001));
    expect(limitsIn(bot.notes)).toEqual([]);
    bot.after(10, bot.snapshot(1999, 2001));
    expect(limitsIn(bot.notes)).toHaveLength(3);
  });

  it("are rounded down, and those of an earlier run as well", () => {
    const bot = bidding("1");
    bot.begin(undefined, bot.balances("0.00123456", "20721.2499999999999"));
    const rounded = [
      `maxPosition ${marketId}: 10.36`,
      `maxOrderNotional ${marketId}: 10360`,
      "dayLoss bot: 2072",
    ];
    expect(limitsIn(bot.notes)).toEqual(rounded.map((text) => `LIMIT_DERIVED ${text}`));
    expect(limitItems(bot.carried)).toMatchObject([
      { value: "10.36" },
      { value: "10360" },
      { value: "2072" },
    ]);
    const next = bidding("1");
    next.step(
      restored({ type: "limit", limit: "dayLoss", quoteToken, value: "10360.6249999999995" }),
    );
    expect(limitsIn(next.notes)).toEqual(["LIMIT_KEPT dayLoss bot: 10360"]);
  });

  it("let an order close a position that is worth more than a derived maxOrderNotional", () => {
    let closes = false;
    const bot = new Harness({
      decide: () =>
        closes
          ? setQuotes({
              bids: [],
              asks: [],
              stops: [{ name: "floor", side: "SELL", size: "400", stopPrice: 1950 }],
            })
          : setQuotes({
              bids: [
                { price: 1999, size: "200" },
                { price: 1998, size: "200" },
              ],
              asks: [],
            }),
      config: { limitsToDerive, ladder },
    });
    const places = placesOf(bot.begin());
    expect(places).toHaveLength(2);
    for (const [index, { intent }] of places.entries()) {
      bot.after(1, bot.accepted(intent));
      closes = index === 1;
      bot.after(1, bot.event(intent, "FILLED", { quantity: "200", tradeId: String(index + 1) }));
    }
    bot.after(1000);
    // 400 · 1 950 is above 600 000.
    const rules = bot.notes.flatMap((note) => (note.type === "denied" ? [note.reason.rule] : []));
    expect(rules).not.toContain("max-order-notional");
  });

  it("say how to raise them", () => {
    const bot = bidding("1");
    bot.begin();
    const texts = bot.notes.flatMap((note) => (note.type === "limit" ? [note.message] : []));
    expect(texts[0]).toBe(
      `the position in ${marketId} stays within 600 base token, derived from balances and mid; to raise it set risk.maxPosition, or null for no limit`,
    );
    expect(texts[2]).toBe(
      "a loss of 120000 quote token in a UTC day halts the bot, derived from balances and mid; to raise it set triggers.dayLoss: { halt: … } in risk, or dayLoss: null for no limit",
    );
  });

  it("deny an order beyond them from the first one on", () => {
    const bot = bidding("301");
    expect(placesOf(bot.begin())).toEqual([]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "denied",
        reason: { rule: "max-order-notional", limit: "600000", actual: "601699" },
      }),
    );
  });

  it("wait for the first balances and mid, and do not change later", () => {
    const bot = bidding("1");
    bot.begin(undefined, bot.balances("0", "0"));
    expect(limitsIn(bot.notes)).toEqual([]);
    bot.after(30_000);
    bot.step(bot.balances());
    expect(limitsIn(bot.notes)).toHaveLength(3);
    bot.after(30_000);
    bot.step(bot.balances("500", "5000000"));
    expect(limitsIn(bot.notes)).toHaveLength(3);
  });

  it("are not derived where the configuration sets them, for all markets or for one", () => {
    const risk = { ...defaultRisk, markets: { [marketId]: { maxPosition: fixed("7") } } };
    const bot = bidding("8", {
      limitsToDerive: { limits: limitsToDerive.limits, dayLoss: [] },
      risk,
    });
    expect(placesOf(bot.begin())).toEqual([]);
    expect(limitsIn(bot.notes)).toEqual([`LIMIT_DERIVED maxOrderNotional ${marketId}: 600000`]);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "denied",
        reason: { rule: "max-position", limit: "7", actual: "8" },
      }),
    );
  });

  it("are not derived in a market where null turns them off", () => {
    const risk = { ...defaultRisk, markets: { [marketId]: { maxOrderNotional: null } } };
    const bot = bidding("400", { risk });
    expect(placesOf(bot.begin())).toHaveLength(1);
    expect(limitsIn(bot.notes)).toHaveLength(2);
  });

  it("do not exist for a kernel that is not told to derive them", () => {
    const bot = bidding("400", { limitsToDerive: undefined, ladder: undefined });
    expect(placesOf(bot.begin())).toHaveLength(1);
    expect(limitsIn(bot.notes)).toEqual([]);
  });
});

describe("the derived loss stop", () => {
  /** Buys 100 at 1999; then the market falls to the new bid, and a second passes. */
  function falling(bid: number, config: Partial<KernelConfig> = {}): Harness {
    const bot = bidding("100", config);
    const [place] = placesOf(bot.begin());
    if (place === undefined) throw new Error("no bid");
    bot.after(1, bot.accepted(place.intent));
    const fill = { quantity: "100", tradeId: "1" };
    bot.after(1, bot.event(place.intent, "FILLED", fill));
    // The mid of some seconds ago says nothing any more.
    bot.after(10_000, bot.depth(101, [1999, 0, bid, 5], [2001, 0, bid + 2, 5]));
    bot.after(1_000);
    return bot;
  }

  const halts = (bot: Harness) =>
    bot.notes.filter((note) => note.type === "risk" && note.step === "halt");

  it("halts a bot that loses a tenth of its equity in a day", () => {
    // 100 · (1999 − 798) = 120 100, at a limit of 120 000.
    const bot = falling(797);
    expect(halts(bot)).toMatchObject([{ trigger: "dayLoss", code: "RISK_HALT" }]);
    expect(bot.kernel.standstill()).toBe("halted");
  });

  it("lets a smaller loss pass", () => {
    // 100 · (1999 − 800) = 119 900.
    expect(halts(falling(799))).toEqual([]);
  });

  it("belongs to each strategy where their quote tokens differ", () => {
    const bot = falling(797, { limitsToDerive: { limits: [], dayLoss: ["maker"] } });
    expect(halts(bot)).toMatchObject([{ trigger: "dayLoss", of: "maker" }]);
  });

  it("halts besides the milder steps of the day's loss that are set", () => {
    const dayLoss = { steps: [{ step: "warn", from: fixed("1000") }] } as const;
    const own = { ladder: { ...ladder, bot: { dayLoss } } };
    const steps = (bid: number) =>
      falling(bid, own).notes.flatMap((note) => (note.type === "risk" ? [note.step] : []));
    expect(steps(1900)).toEqual(["warn"]);
    expect(steps(797)).toEqual(["halt"]);
    const second = bidding("1", own);
    second.step(restored(...falling(797, own).carried));
    expect(second.kernel.standstill()).toBe("halted");
  });

  it("is not left by the recoverAfter of the milder steps that are set", () => {
    const dayLoss = {
      steps: [{ step: "warn", from: fixed("1000") }],
      recoverAfterMs: 60_000,
    } as const;
    const bot = falling(797, { ladder: { ...ladder, bot: { dayLoss } } });
    expect(bot.kernel.standstill()).toBe("halted");
    bot.after(1_000, bot.depth(102, [797, 0, 850, 5], [799, 0, 852, 5]));
    for (let at = 0; at < 70; at += 1) bot.after(1_000);
    expect(bot.kernel.standstill()).toBe("halted");
  });

  it("keeps the bot halted after a restart", () => {
    const first = falling(797);
    const second = bidding("1");
    second.step(restored(...first.carried));
    expect(second.kernel.standstill()).toBe("halted");
  });
});

describe("a loss stop over several strategies", () => {
  const usdc = tokenId("3");
  const second = { ...market, marketId: idOfMarket("1", "3"), quoteToken: usdc };
  const bids = scripted(() => noQuotes("none"));
  const strategy = (name: string, of: MarketId) =>
    ({ name, definition: bids, params: {}, marketId: of, seed: 1 }) as const;
  const balances = (bot: Harness, usdcAmount: string): Input => {
    const report = bot.balances();
    if (report.type !== "balances") throw new Error("a report");
    const unlocked = fixed(usdcAmount);
    return {
      ...report,
      balances: [...report.balances, { tokenId: usdc, locked: ZERO, unlocked }],
    };
  };
  const book = (bot: Harness, of: MarketId, mid: number): Input => {
    const input = bot.snapshot(mid - 1, mid + 1);
    if (input.type !== "book") throw new Error("a book");
    return { type: "book", snapshot: { ...input.snapshot, marketId: of } };
  };
  const lossOf = (bot: Harness): readonly string[] =>
    limitsIn(bot.notes).filter((text) => text.includes("dayLoss"));

  it("adds up quote tokens in one currency, each token once", () => {
    for (const [reportingCurrency, expected] of [
      // 100 · 2000 + 1 000 000 + 500 000 · 2000 / 2500.
      [undefined, "160000"],
      [usdc, "200000"],
    ] as const) {
      const bot = new Harness({
        decide: () => noQuotes("none"),
        config: {
          ladder,
          timing: unwatched,
          reportingCurrency,
          limitsToDerive: { limits: [], dayLoss: "bot" },
          markets: [market, second],
          strategies: [
            strategy("one", marketId),
            strategy("two", second.marketId),
            strategy("three", second.marketId),
          ],
        },
      });
      bot.begin(undefined, balances(bot, "500000"));
      expect(lossOf(bot)).toEqual([]);
      bot.step(book(bot, second.marketId, 2500));
      expect(lossOf(bot)).toEqual([`LIMIT_DERIVED dayLoss bot: ${expected}`]);
    }
  });

  it("gives each strategy its share where quote tokens are unrelated, so that all stops together are a tenth", () => {
    const names = Array.from({ length: 18 }, (_, at) => `maker${at}`);
    const bot = new Harness({
      decide: () => noQuotes("none"),
      config: {
        ladder,
        timing: unwatched,
        limitsToDerive: { limits: [], dayLoss: names },
        strategies: names.map((name) => strategy(name, marketId)),
      },
    });
    bot.begin();
    // A tenth of 1 200 000, divided by 18, with four digits.
    expect(lossOf(bot)).toEqual(names.map((name) => `LIMIT_DERIVED dayLoss ${name}: 6666`));
  });
});

describe("derived limits after a restart", () => {
  it("are those of the first run, whatever was lost since", () => {
    const first = bidding("1");
    first.begin();
    expect(limitItems(first.carried)).toEqual([
      { type: "limit", limit: "maxPosition", marketId, quoteToken, value: "600" },
      { type: "limit", limit: "maxOrderNotional", marketId, quoteToken, value: "600000" },
      { type: "limit", limit: "dayLoss", quoteToken, value: "120000" },
    ]);
    const second = bidding("1");
    second.step(restored(...first.carried));
    second.begin(undefined, second.balances("10", "100000"));
    expect(limitsIn(second.notes)).toEqual([
      `LIMIT_KEPT maxPosition ${marketId}: 600`,
      `LIMIT_KEPT maxOrderNotional ${marketId}: 600000`,
      "LIMIT_KEPT dayLoss bot: 120000",
    ]);
    expect(limitItems(second.carried)).toEqual([]);
  });

  it("give way to what the configuration sets since", () => {
    const kept = { type: "limit", limit: "maxPosition", marketId, quoteToken, value: "1" } as const;
    const risk = { ...defaultRisk, maxPosition: fixed("9") };
    const bot = bidding("8", { limitsToDerive: { limits: [], dayLoss: [] }, risk });
    bot.step(restored(kept));
    expect(placesOf(bot.begin())).toHaveLength(1);
  });
});
