import { describe, expect, it } from "vitest";
import { fixedText } from "../../src/domain/fixed.ts";
import type { MarketId, TokenId } from "../../src/domain/ids.ts";
import type { KernelConfig, LadderConfig } from "../../src/kernel/config.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Side } from "../../src/domain/side.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import { type Decision, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { cancelsOf, Harness, hashOf, market, placesOf, scripted } from "./harness.ts";
import { testMarket } from "../support/exchange.ts";

function ladder(bot: object, widenBy = 2): LadderConfig {
  return { bot: triggersSchema("bot").parse(bot), strategies: {}, widenBy };
}

function quoting(
  decide: (view: MarketView) => Decision,
  limits: LadderConfig,
  config: Partial<KernelConfig> = {},
): Harness {
  const bot = new Harness({ decide, config: { ladder: limits, ...config } });
  bot.begin();
  for (const intent of bot.ids.keys()) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
  return bot;
}

const shown = (effects: ReturnType<Harness["step"]>): string[] =>
  placesOf(effects).map(({ side, price, quantity }) => `${side} ${price} ${fixedText(quantity)}`);

const risksOf = (notes: readonly Note[]): string[] =>
  notes.flatMap((note) => (note.type === "risk" ? [note.code] : []));

const buy1 = (bot: Harness) => bot.event(1, "FILLED", { quantity: "1", tradeId: "first" });

describe("reduce only", () => {
  it("cancels an open order that is larger than the position, however tolerant the strategy is of sizes", () => {
    const bot = quoting(
      () =>
        setQuotes({
          bids: [{ price: 1990, size: "1" }],
          asks: [{ price: 2010, size: "3" }],
          sizeTolerance: 3,
        }),
      ladder({ position: { reduceOnly: "1500" } }),
    );
    expect(cancelsOf(bot.step(buy1(bot)))).toEqual([hashOf(2)]);
  });

  it("cancels an open order that is larger than the position, though its strategy keeps it by name", () => {
    const bot = quoting(
      (view) => {
        const ask = view.orders.find(({ side }) => side === "SELL");
        return setQuotes({
          bids: [{ price: 1990, size: "1" }],
          asks: [
            ask === undefined
              ? { price: 2010, size: "3" }
              : { price: 2010, size: "3", order: ask.id },
          ],
        });
      },
      ladder({ position: { reduceOnly: "1500" } }),
    );
    expect(cancelsOf(bot.step(buy1(bot)))).toEqual([hashOf(2)]);
  });

  it("leaves no two stop orders that together would turn the position around", () => {
    const bot = quoting(
      () =>
        setQuotes({
          bids: [{ price: 1990, size: "1" }],
          stops: [
            { name: "floor", side: "SELL", size: "1", stopPrice: 1900 },
            { name: "cellar", side: "SELL", size: "1", stopPrice: 1800 },
          ],
        }),
      ladder({ position: { reduceOnly: "1500" } }),
    );
    const bid = [...bot.places].find(([, { price }]) => price === 1990)?.[0] ?? 0;
    const effects = bot.step(bot.event(bid, "FILLED", { quantity: "1", tradeId: "first" }));
    expect(cancelsOf(effects)).toHaveLength(1);
  });

  describe("while the last fill of a purchase is missing", () => {
    /** Begins the step with a fill of `side`, ends the bid with one unit that no fill explains, and shows what is placed then. */
    function placedWithoutFill(side: Side, filled: string, executed: string): string[] {
      const bot = quoting(
        () => setQuotes({ bids: [{ price: 1990, size: "3" }], asks: [{ price: 2010, size: "3" }] }),
        ladder({ position: { reduceOnly: "1500" } }),
      );
      const intentOf = (of: Side) => [...bot.places].find(([, place]) => place.side === of)?.[0];
      const [bid = 0, ask = 0] = [intentOf("BUY"), intentOf("SELL")];
      const [first, status] =
        side === "BUY" ? ([bid, "PARTIALLY_FILLED"] as const) : ([ask, "FILLED"] as const);
      bot.step(bot.event(first, status, { quantity: filled, tradeId: "first" }));
      const end = bot.event(bid, "CANCELED");
      if (end.type !== "orderEvent") throw new Error("an order event");
      const order = bot.report(bid, "CANCELED", executed);
      const effects = [...bot.step({ ...end, event: { ...end.event, order } })];
      if (side === "BUY") effects.push(...bot.step(bot.event(ask, "CANCELED")));
      return shown([...effects, ...bot.after(1_000)]);
    }

    it("sells no more than it brought at the higher of the market's fees", () => {
      expect(placedWithoutFill("BUY", "1", "2")).toEqual(["SELL 2010 1.9995"]);
    });

    it("buys back no more than is still short without the fee", () => {
      expect(placedWithoutFill("SELL", "3", "1")).toEqual(["BUY 1990 2"]);
    });
  });
});

describe("widen", () => {
  it("moves an open quote, however tolerant its strategy is of prices", () => {
    const bot = quoting(
      () =>
        setQuotes({
          bids: [{ price: 1990, size: "1" }],
          asks: [{ price: 2010, size: "3" }],
          tolerance: 0.01,
        }),
      ladder({ position: { widen: "1500" } }),
    );
    const effects = bot.step(buy1(bot));
    expect(cancelsOf(effects)).toEqual([hashOf(2)]);
    expect(shown(effects)).toContain("SELL 2020 3");
  });

  it("moves take profit and stop loss with their quote, at legal prices", () => {
    const bot = quoting(
      () =>
        setQuotes({
          bids: [
            { price: 1990, size: "1", tpsl: { takeProfit: 2050, stopLoss: 1985, stopLimit: 1984 } },
          ],
          asks: [{ price: 2010, size: "1", tpsl: { takeProfit: 1999, stopLoss: 2015 } }],
          tolerance: 0.000001,
        }),
      ladder({ position: { widen: "1500" } }),
    );
    const placed = bot
      .step(buy1(bot))
      .flatMap((effect) => (effect.type === "place" ? [effect] : []))
      .map(({ price, tpsl }) => ({ price, tpsl }));
    expect(placed).toEqual([
      { price: 1980, tpsl: { tpLimit: 2040, slTrigger: 1975, slLimit: 1974 } },
      { price: 2020, tpsl: { tpLimit: 2009, slTrigger: 2025, slLimit: undefined } },
    ]);
  });

  it("places nothing where the factor leads below zero", () => {
    const bot = quoting(
      () => setQuotes({ bids: [{ price: 1900, size: "1" }], asks: [{ price: 2100, size: "1" }] }),
      ladder({ position: { widen: "1500" } }, 100),
    );
    expect(shown(bot.step(buy1(bot)))).not.toContainEqual(expect.stringContaining("BUY"));
  });
});

describe("a resume", () => {
  it("is refused while the loss that halted the bot cannot be measured", () => {
    const decide = () =>
      setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [{ price: 2010, size: "3" }] });
    const bot = quoting(decide, ladder({ sessionLoss: { halt: "5" } }));
    bot.step(buy1(bot));
    bot.after(1_000, bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]));
    expect(risksOf(bot.notes)).toEqual(["RISK_HALT"]);
    bot.step(bot.event(2, "CANCELED"));
    // Nobody asks any more: there is no mid.
    bot.after(1_000, bot.depth(102, [], [1981, 0]));
    expect(bot.kernel.mid(market.marketId)).toBeUndefined();
    expect(bot.kernel.resumeReport().holding).not.toEqual([]);
    bot.step({ type: "operator", command: "resume" });
    expect(bot.kernel.standstill()).toBe("halted");
  });
});

describe("a resume by force", () => {
  it("cannot end what is a fact of the moment, and this is known before", () => {
    const decide = () => setQuotes({ bids: [{ price: 1990, size: "1" }] });
    const bot = quoting(decide, ladder({ sessionLoss: { halt: "5" }, position: { halt: "1500" } }));
    bot.step(buy1(bot));
    bot.after(1_000, bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]));
    expect(bot.kernel.resumeReport().holding).toHaveLength(2);
    expect(bot.kernel.resumeReport(undefined, true).holding).toEqual([
      "the position of the bot is 1980 quote token, limit 1500 quote token",
    ]);
    bot.step({ type: "operator", command: "resume", force: true });
    expect(bot.kernel.standstill()).toBe("halted");
  });
});

describe("what a resume would do", () => {
  const decide = () => setQuotes({ bids: [{ price: 1990, size: "1" }] });

  it("names a trigger that only warns", () => {
    const bot = quoting(decide, ladder({ position: { warn: "1500" }, sessionLoss: { warn: "5" } }));
    bot.step(buy1(bot));
    bot.after(1_000, bot.depth(101, [1999, 0, 1979, 5], [2001, 0, 1981, 5]));
    expect(bot.kernel.resumeReport(undefined, true)).toEqual({
      lifted: ["warn by the session loss of the bot"],
      guarded: ["warn by the session loss of the bot", "losses counted so far"],
      remaining: ["warn: the position of the bot is 1980 quote token, limit 1500 quote token"],
      stopped: [],
      holding: [],
    });
  });

  it("names pauses and a halt, and for one strategy also the restrictions of the whole bot", () => {
    const bot = quoting(decide, ladder({ position: { warn: "1500" } }));
    bot.step(buy1(bot));
    bot.step({ type: "operator", command: "pause", strategy: "maker" });
    bot.step({ type: "operator", command: "pause" });
    bot.step({ type: "operator", command: "halt", reason: "news" });
    const warning = "warn: the position of the bot is 2000 quote token, limit 1500 quote token";
    expect(bot.kernel.resumeReport()).toMatchObject({
      lifted: ["the halt (news)", "the pause of the bot"],
      guarded: ["the halt (news)"],
      remaining: ["the pause of maker", warning],
    });
    expect(bot.kernel.resumeReport("maker")).toMatchObject({
      lifted: ["the pause of maker"],
      remaining: ["the halt of the whole bot (news)", "the pause of the whole bot", warning],
    });
  });
});

describe("a loss of the bot", () => {
  it("is seen while another market in which it holds something has no mid", () => {
    const second = testMarket({ marketId: "9_2" as MarketId, baseToken: "9" as TokenId });
    const decide = ({ market: { marketId } }: MarketView) =>
      marketId === second.marketId
        ? setQuotes({ bids: [{ price: 990, size: "1" }] })
        : setQuotes({ bids: [{ price: 1990, size: "1" }] });
    const one = { definition: scripted(decide), params: {}, seed: 1 };
    const bot = new Harness({
      decide,
      config: {
        ladder: ladder({ sessionLoss: { halt: "5" } }),
        markets: [market, second],
        strategies: [
          { ...one, name: "maker", marketId: market.marketId },
          { ...one, name: "other", marketId: second.marketId },
        ],
      },
    });
    bot.step();
    bot.step(
      { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    bot.step({ type: "openOrders", orders: [] });
    bot.step(bot.balances());
    const other = bot.snapshot(999, 1001);
    if (other.type !== "book") throw new Error("a book");
    const elsewhere: Input = {
      ...other,
      snapshot: { ...other.snapshot, marketId: second.marketId },
    };
    bot.step(elsewhere, bot.snapshot(1999, 2001));
    for (const intent of bot.ids.keys()) bot.step(bot.accepted(intent));
    const bid = [...bot.places].find(([, { price }]) => price === 990)?.[0] ?? 0;
    const bought = bot.event(bid, "FILLED", { quantity: "1", tradeId: "elsewhere" });
    if (bought.type !== "orderEvent" || bought.event.fill === undefined) throw new Error("a fill");
    const { marketId, baseToken: feeToken } = second;
    const { order, fill } = bought.event;
    bot.step({
      ...bought,
      event: {
        ...bought.event,
        order: { ...order, marketId },
        fill: { ...fill, marketId, feeToken },
      },
    });
    // Nobody bids there any more.
    const gone = bot.depth(101, [999, 0], []);
    if (gone.type !== "depth") throw new Error("depth");
    bot.after(1_000, { ...gone, event: { ...gone.event, marketId } });
    expect(bot.kernel.mid(marketId)).toBeUndefined();
    const own = [...bot.places].find(([, { price }]) => price === 1990)?.[0] ?? 0;
    bot.step(bot.event(own, "FILLED", { quantity: "1", tradeId: "first" }));
    bot.after(1_000, bot.depth(101, [1999, 0, 1949, 5], [2001, 0, 1951, 5]));
    expect(risksOf(bot.notes)).toEqual(["RISK_HALT"]);
  });
});
