import { describe, expect, it } from "vitest";
import { fixedText } from "../../src/domain/fixed.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, market, placesOf, scripted, unwatched } from "./harness.ts";

/** Bid 1999 and ask 2001, 5 each. */

const terms = { maxSlippage: 0.002, withinMs: 4_000 };
const flatten: Input = { type: "operator", command: "flatten", ...terms };
const stop: Input = {
  type: "operator",
  command: "stop",
  flattens: { strategies: ["maker"], ...terms },
};

/** A bot that holds `base`, and quotes, beside others that do the same without a position. */
function holding(base: string, others: readonly string[] = [], limits: object = {}) {
  const quotes = {
    bids: [{ price: 1990, size: "1" }],
    asks: [{ price: 2010, size: "1" }],
    stops: [{ name: "floor", side: "SELL", size: "1", stopPrice: 1900 }] as const,
  };
  const decide = () => setQuotes(quotes);
  const strategies = ["maker", ...others].map((name) => ({
    name,
    definition: scripted(decide),
    params: {},
    marketId: market.marketId,
    seed: 1,
  }));
  const bot = new Harness({
    config: {
      timing: unwatched,
      strategies,
      risk: riskSchema.parse({ staleBook: "10s", ...limits }),
    },
    decide,
  });
  bot.step({
    type: "restored",
    restored: {
      nonceHighWater: 0,
      orders: [],
      carried: [
        {
          type: "position",
          strategy: "maker",
          marketId: market.marketId,
          base,
          quote: "0",
          cost: "0",
          fees: {},
          peak: "0",
          maxDrawdown: "0",
        },
      ],
    },
  });
  bot.begin();
  bot.step(...[1, 2, 3].map((intent) => bot.event(intent, "NEW")));
  const canceled = (...intents: number[]): readonly Effect[] =>
    bot.step(...intents.map((intent) => bot.event(intent, "CANCELED")));
  return { bot, canceled };
}

const sent = (effects: readonly Effect[]) =>
  placesOf(effects).map(({ side, price, quantity }) => [side, price, fixedText(quantity)]);
const ends = (effects: readonly Effect[]) => effects.filter(({ type }) => type === "finished");

describe("flatten", () => {
  it("cancels every order, then works the position off, and quotes nothing until a resume", () => {
    const { bot, canceled } = holding("7");
    const effects = bot.step(flatten);
    expect(cancelsOf(effects).length).toBe(3);
    expect(bot.kernel.flattened()).toBe(undefined);
    const first = [...effects, ...canceled(1, 2, 3)];
    // The stop could sell one more, and the bid offers 5.
    expect(sent(first)).toEqual([["SELL", 1995.1, "5"]]);
    const [{ intent } = { intent: 0 }] = placesOf(first);
    bot.step(bot.event(intent, "FILLED", { quantity: "5", tradeId: "7" }));
    expect(sent(bot.after(250))).toEqual([["SELL", 1995.1, "2"]]);
    bot.step(bot.event(intent + 1, "FILLED", { quantity: "2", tradeId: "8" }));
    expect(bot.kernel.flattened()).toEqual([]);
    expect(sent(bot.after(60_000))).toEqual([]);
    expect(bot.kernel.standstill()).toBe("paused");
  });

  it.each([
    { maxOrderSize: "2" },
    { maxOrderSize: { quote: "4000" } },
    { maxOrderNotional: "4000" },
  ])("works a position off in orders that are within %o", (limits) => {
    const { bot, canceled } = holding("7", [], limits);
    const first = [...bot.step(flatten), ...canceled(1, 2, 3)];
    expect(sent(first)).toEqual([["SELL", 1995.1, "2"]]);
  });

  it("leaves less than the smallest order, and says so", () => {
    const { bot, canceled } = holding("0.00001");
    bot.step(flatten);
    canceled(1, 2, 3);
    bot.step();
    expect(bot.kernel.flattened()).toMatchObject([{ position: "0.00001", isDust: true }]);
  });

  it("ends with its time, and names what is left", () => {
    const { bot, canceled } = holding("7");
    bot.step(flatten);
    canceled(1, 2, 3);
    const effects = bot.after(4_000);
    expect(cancelsOf(effects).length).toBe(1);
    expect(bot.kernel.flattened()).toMatchObject([{ position: "7", isDust: false }]);
  });

  it("names the orders that have not ended in its time, also when nothing is held", () => {
    for (const [base, position] of [
      ["0", "0"],
      ["0.00001", "0.00001"],
    ] as const) {
      const { bot, canceled } = holding(base);
      bot.step(flatten);
      canceled(1);
      bot.after(3_999);
      expect(bot.kernel.flattened()).toBe(undefined);
      bot.after(1);
      const orders = [hashOf(2), hashOf(3)];
      expect(bot.kernel.flattened()).toMatchObject([{ position, isDust: true, orders }]);
    }
  });

  it.each<[string, Input]>([
    ["a stop that works positions off first", stop],
    ["the flatten of a run for this alone", { ...flatten, strategy: "maker", isAlone: true }],
  ])("lets no other strategy quote during %s", (_, input) => {
    const { bot } = holding("7", ["other"]);
    expect(bot.step(...[4, 5, 6].map((intent) => bot.event(intent, "NEW")))).toEqual([]);
    const effects = [...bot.step(input), ...bot.after(1_000), ...bot.after(1_000)];
    expect(cancelsOf(effects).slice(0, 6).toSorted()).toEqual(
      [1, 2, 3, 4, 5, 6].map(hashOf).toSorted(),
    );
    expect(
      effects.filter((effect) => effect.type === "place" && effect.strategy === "other"),
    ).toEqual([]);
  });

  it("sells nothing by a book that is not in sync, nor after a halt", () => {
    const { bot, canceled } = holding("7");
    bot.step({ type: "stream", state: "closed", reason: "cut" });
    bot.step(flatten);
    expect(sent(canceled(1, 2, 3))).toEqual([]);
    bot.after(4_000);
    expect(bot.kernel.flattened()).toMatchObject([{ reason: "the book is not in sync" }]);

    const halted = holding("7");
    halted.bot.step({ type: "operator", command: "halt", reason: "a bad book" });
    halted.canceled(1, 2, 3);
    expect(sent(halted.bot.step(flatten))).toEqual([]);
    halted.bot.after(4_000);
    expect(halted.bot.kernel.flattened()).toMatchObject([{ reason: "halted: a bad book" }]);
  });

  it("comes before the end of a run that is to flatten, which fails when something is left", () => {
    const { bot, canceled } = holding("1");
    bot.step(stop);
    const [{ intent } = { intent: 0 }] = placesOf(canceled(1, 2, 3));
    expect(intent).toBeGreaterThan(3);
    bot.step(bot.event(intent, "FILLED", { quantity: "1", tradeId: "7" }));
    bot.step({ type: "openOrders", orders: [] });
    expect(ends(bot.last.effects)).toMatchObject([{ ok: true }]);

    const late = holding("1");
    late.bot.step(stop);
    const [take] = placesOf(late.canceled(1, 2, 3));
    late.bot.after(4_000);
    late.bot.step(late.bot.event(take?.intent ?? 0, "CANCELED"));
    late.bot.step({ type: "openOrders", orders: [] });
    expect(ends(late.bot.last.effects)).toMatchObject([
      { ok: false, reason: expect.stringMatching(/^positions are left: 1 of maker in 1_2/) },
    ]);
  });
});
