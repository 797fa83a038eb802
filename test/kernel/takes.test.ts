import { describe, expect, it } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { CarriedItem, Input } from "../../src/kernel/input.ts";
import type { RestoredOrder } from "../../src/orders/restored-order.ts";
import { type Decision, noQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView, OwnTake } from "../../src/strategy/view.ts";
import type { WantedTake, WantedWork } from "../../src/strategy/wanted-take.ts";
import { cancelsOf, Harness, hashOf, market, placesOf, unwatched } from "./harness.ts";

/** Bid 1999 and ask 2001, 5 each. */

const take: WantedTake = { name: "in", side: "BUY", size: "2" };
const takes = (...wanted: WantedTake[]): Decision => setQuotes({ takes: wanted });
const work = (workTo: Partial<WantedWork>): Decision =>
  setQuotes({ workTo: { position: "3", clip: "1", every: 500, ...workTo } });

function begun(target: { say: Decision }, inputs: readonly Input[] = []) {
  let view: MarketView | undefined;
  const bot = new Harness({
    config: { timing: unwatched },
    decide: (now) => {
      view = now;
      return target.say;
    },
  });
  if (inputs.length > 0) bot.step(...inputs);
  const first = bot.begin();
  let lastId = 100;
  return {
    bot,
    first,
    /** Another decision, by a change far from the touch. */
    decides: (): readonly Effect[] => {
      lastId += 1;
      return bot.step(bot.depth(lastId, [1000, lastId], []));
    },
    asks: (...levels: number[]): readonly Effect[] => {
      lastId += 1;
      return bot.step(bot.depth(lastId, [], levels));
    },
    take: (name = "in"): OwnTake | undefined => view?.takes.find((one) => one.name === name),
    /** What a bot begins with after this one was killed. */
    left: (orders: readonly RestoredOrder[] = []): Input => {
      const carried = new Map<string, CarriedItem>(bot.carried.map((item) => [item.type, item]));
      return {
        type: "restored",
        restored: { nonceHighWater: 0, orders, carried: [...carried.values()] },
      };
    },
  };
}

const sent = (effects: readonly Effect[]) =>
  placesOf(effects).map(({ side, price, quantity }) => [side, price, fixedText(quantity)]);

describe("a take", () => {
  it.each([
    ["BUY", 2005],
    ["SELL", 1995.1],
  ] as const)(
    "is one order at its worst price, 0.2 %% beyond the opposite touch: %s",
    (side, price) => {
      const { first } = begun({ say: takes({ ...take, side }) });
      expect(sent(first)).toEqual([[side, price, "2"]]);
    },
  );

  it.each<[Partial<WantedTake>, number]>([
    [{ limit: 2003 }, 2003],
    [{ limit: 2020 }, 2020],
    [{ limit: 2020, maxSlippage: 0.001 }, 2003],
    [{ limit: 2002, maxSlippage: 0.005 }, 2002],
    [{ maxSlippage: 0 }, 2001],
  ])("has the worst price that %j says", (bounds, price) => {
    const { first } = begun({ say: takes({ ...take, ...bounds }) });
    expect(sent(first)).toEqual([["BUY", price, "2"]]);
  });

  it("is cut to what others offer within its limit", () => {
    const target = { say: noQuotes("nothing") as Decision };
    const { asks, decides } = begun(target);
    asks(2002, 1, 2004, 50);
    target.say = takes({ ...take, size: "9", limit: 2003 });
    expect(sent(decides())).toEqual([["BUY", 2003, "6"]]);
  });

  it("waits while too little is offered, and says so", () => {
    const target = { say: takes({ ...take, limit: 2000 }) };
    const { first, asks, decides, take: own } = begun(target);
    expect(sent(first)).toEqual([]);
    decides();
    expect(own()).toMatchObject({
      state: "wanted",
      reason: expect.stringMatching(/^0 is offered at 2000 or better/),
    });
    expect(sent(asks(2000, 1))).toEqual([["BUY", 2000, "1"]]);
  });

  it.each<[Partial<WantedTake>, unknown[]]>([
    [{ side: "BUY", quoteSize: "4010", limit: 2005 }, ["BUY", 2005, "2"]],
    [{ side: "SELL", quoteSize: "1999", limit: 1990 }, ["SELL", 1990, "1"]],
  ])("spends at most its quote size, and sells for about as much: %j", (terms, order) => {
    const { first } = begun({ say: takes({ name: "in", side: "BUY", ...terms }) });
    expect(sent(first)).toEqual([order]);
  });

  it("is a market order of a bounded size on request", () => {
    const { first } = begun({ say: takes({ ...take, size: "9", market: true }) });
    expect(first).toMatchObject([
      { type: "place", orderType: "MARKET", orderMode: 0, price: 0, quantity: fixed("5") },
    ]);
  });

  it("is canceled as soon as an event shows that it rests", () => {
    const { bot, take: own, decides } = begun({ say: takes(take) });
    expect(cancelsOf(bot.step(bot.accepted(1)))).toEqual([]);
    const part = bot.event(1, "PARTIALLY_FILLED", { quantity: "0.5", tradeId: "7" });
    expect(cancelsOf(bot.step(part))).toEqual([hashOf(1)]);
    decides();
    expect(own()).toMatchObject({ state: "leaving" });
    bot.step(bot.event(1, "CANCELED"));
    decides();
    expect(own()).toMatchObject({ state: "over", reason: "it did not trade at once" });
    expect(own()?.executed.toString()).toBe("0.5");
  });

  it.each(["accepted", "unknown"] as const)(
    "is canceled in time when only its response comes: %s",
    (type) => {
      const { bot } = begun({ say: takes({ ...take, within: 300 }) });
      bot.step({ type: "response", intent: 1, outcome: { type, message: "" } });
      expect(cancelsOf(bot.after(50))).toEqual([]);
      expect(cancelsOf(bot.after(260))).toEqual([hashOf(1)]);
    },
  );

  it("trades once under its name until a decision leaves the name out", () => {
    const target = { say: takes(take) };
    const { bot, decides } = begun(target);
    bot.step(bot.event(1, "FILLED", { quantity: "2", tradeId: "7" }));
    expect(sent(decides())).toEqual([]);
    expect(sent(bot.after(60_000))).toEqual([]);
    target.say = noQuotes("nothing");
    decides();
    target.say = takes(take);
    expect(sent(decides())).toEqual([["BUY", 2005, "2"]]);
  });

  it("is over when it found nothing, and sent again when the venue refused it", () => {
    const target = { say: takes(take) };
    const found = begun(target);
    found.bot.step(found.bot.event(1, "NEW"));
    found.bot.step(found.bot.event(1, "CANCELED"));
    expect(sent(found.bot.after(5_000))).toEqual([]);

    const { bot, decides, take: own } = begun(target);
    const outcome = {
      type: "refused",
      reason: "invalid",
      message: "no",
      retryAfterMs: undefined,
    } as const;
    bot.step({ type: "response", intent: 1, outcome });
    expect(sent(decides())).toEqual([]);
    expect(own()).toMatchObject({ state: "wanted", reason: "no" });
    const effects = bot.after(1_100);
    expect(effects).toContainEqual({ type: "order", orderId: hashOf(1) });
    expect(sent(effects)).toEqual([]);
    const absent = { type: "order", orderId: hashOf(1), report: "absent" } as const;
    expect(sent(bot.after(100, absent))).toEqual([["BUY", 2005, "2"]]);
  });

  it("is not sent again when the venue took another copy of a refused request", () => {
    const { bot, decides } = begun({ say: takes(take) });
    const outcome = {
      type: "refused",
      reason: "rateLimited",
      message: "too many requests",
      retryAfterMs: undefined,
    } as const;
    bot.step({ type: "response", intent: 1, outcome });
    bot.after(1_100);
    const report = bot.report(1, "FILLED", "2");
    expect(sent(bot.after(100, { type: "order", orderId: hashOf(1), report }))).toEqual([]);
    expect(sent([...decides(), ...bot.after(60_000)])).toEqual([]);
  });

  it("keeps its name while its order is in doubt", () => {
    const { bot, decides } = begun({ say: takes(take) });
    bot.step({ type: "response", intent: 1, outcome: { type: "unknown", message: "" } });
    bot.after(5_000);
    expect(sent(decides())).toEqual([]);
  });

  it("is withdrawn when a decision leaves it out", () => {
    const target = { say: takes(take) };
    const { decides } = begun(target);
    target.say = noQuotes("nothing");
    expect(cancelsOf(decides())).toEqual([hashOf(1)]);
  });

  it("is canceled in a pause, and none is sent", () => {
    const target = { say: takes(take) };
    const { bot, decides } = begun(target);
    expect(cancelsOf(bot.step({ type: "operator", command: "pause" }))).toEqual([hashOf(1)]);
    target.say = takes({ ...take, name: "later" });
    expect(sent(decides())).toEqual([]);
    expect(sent(bot.step({ type: "operator", command: "resume" }))).toEqual([["BUY", 2005, "2"]]);
  });

  it("is not sent by a book that is too old", () => {
    const target = { say: noQuotes("nothing") as Decision };
    const { bot, decides } = begun(target);
    target.say = takes(take);
    bot.after(1, { type: "stream", state: "closed", reason: "cut" });
    expect(sent(bot.after(60_000))).toEqual([]);
    expect(sent(decides())).toEqual([]);
  });

  it("keeps its name over a kill, with what it traded", () => {
    const target = { say: takes(take) };
    const killed = begun(target);
    killed.bot.step(killed.bot.event(1, "FILLED", { quantity: "2", tradeId: "7" }));
    const { first, decides, take: own } = begun(target, [killed.left()]);
    expect(sent(first)).toEqual([]);
    decides();
    expect(own()).toMatchObject({ state: "over", id: undefined });
    expect(own()?.executed.toString()).toBe("2");
    expect(own()?.averagePrice?.toString()).toBe("2005");
  });

  it("is settled by the next run when the bot was killed before any response", () => {
    const target = { say: takes(take) };
    const killed = begun(target);
    const [{ nonce } = { nonce: 0 }] = placesOf(killed.first);
    const order: RestoredOrder = {
      orderId: hashOf(1),
      nonce,
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY",
      price: 2005,
      quantity: "2",
      executed: "0",
      tradeIds: [],
      take: { name: "in", worst: 2005 },
    };
    const { bot, first, decides, take: own } = begun(target, [killed.left([order])]);
    expect(sent(first)).toEqual([]);
    decides();
    expect(own()).toMatchObject({ state: "leaving" });
    // The venue never had it: the name is free again.
    const absent: Input = { type: "order", orderId: hashOf(1), report: "absent" };
    bot.step(absent);
    expect(bot.after(62_000)).toContainEqual({ type: "order", orderId: hashOf(1) });
    bot.step({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    expect(sent(bot.step(absent))).toEqual([]);
    expect(sent(bot.after(1_100))).toEqual([["BUY", 2005, "2"]]);
  });

  it("cancels own quotes in its way, waits for their end, and lets none come back before it has ended", () => {
    const quotes = {
      asks: [
        { price: 2001, size: "1" },
        { price: 2010, size: "1" },
      ],
    };
    const target = { say: setQuotes(quotes) };
    const { bot, first, decides, take: own } = begun(target);
    expect(sent(first)).toEqual([
      ["SELL", 2001, "1"],
      ["SELL", 2010, "1"],
    ]);
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    target.say = setQuotes({ ...quotes, takes: [take] });
    const effects = decides();
    expect([cancelsOf(effects), sent(effects)]).toEqual([[hashOf(1)], []]);
    expect(sent(decides())).toEqual([]);
    expect(own()?.reason).toBe("waiting for the end of own quotes in its way");
    expect(sent(bot.step(bot.event(1, "CANCELED")))).toEqual([["BUY", 2005, "2"]]);
    expect(sent(decides())).toEqual([]);
    const id = Math.max(...bot.ids.keys());
    const filled = bot.event(id, "FILLED", { quantity: "2", tradeId: "7" });
    expect(sent([...bot.step(filled), ...decides()])).toEqual([["SELL", 2001, "1"]]);
  });

  it("is denied like any order, and disturbs no quote then", () => {
    const quotes = { asks: [{ price: 2001, size: "1" }] };
    const target = { say: setQuotes(quotes) };
    const { bot, decides, take: own } = begun(target);
    bot.step(bot.event(1, "NEW"));
    target.say = setQuotes({ ...quotes, takes: [{ ...take, limit: 2500 }] });
    const effects = decides();
    expect([cancelsOf(effects), sent(effects)]).toEqual([[], []]);
    decides();
    expect(own()?.reason).toMatch(/^denied by price-collar/);
    expect(bot.notes.filter(({ type }) => type === "denied")).toMatchObject([{ take: "in" }]);
  });

  it.each<[unknown, RegExp]>([
    [{ name: "" }, /name/],
    [{ side: "buy" }, /side of take "in" is "buy"/],
    [{ size: undefined }, /no size and quoteSize/],
    [{ quoteSize: "1" }, /both a size and quoteSize/],
    [{ limit: Number.NaN }, /limit of take "in" is NaN/],
    [{ within: 0 }, /within of take "in" is 0/],
    [{ maxSlippage: -1 }, /maxSlippage of take "in" is -1/],
    [{ market: 1 }, /market of take "in" is 1/],
    [{ name: "workTo" }, /the name of the takes of workTo/],
  ])("ends a strategy that wants %j", (wrong, message) => {
    const { bot } = begun({ say: takes({ ...take, ...(wrong as object) }) });
    expect(bot.notes.filter(({ type }) => type === "strategyFault")).toMatchObject([
      { message: expect.stringMatching(message) },
    ]);
  });
});

describe("workTo", () => {
  it("takes one clip each time until the position is there", () => {
    const { bot, first, decides, take: own } = begun({ say: work({ position: "2.5" }) });
    const clips: string[] = [];
    let effects = first;
    for (let round = 1; round <= 5; round += 1) {
      for (const { intent, quantity } of placesOf(effects)) {
        clips.push(fixedText(quantity));
        effects = bot.step(
          bot.event(intent, "FILLED", { quantity: fixedText(quantity), tradeId: String(round) }),
        );
        expect(sent(effects)).toEqual([]);
      }
      effects = bot.after(500);
    }
    expect(clips).toEqual(["1", "1", "0.5"]);
    decides();
    expect(own("workTo")).toMatchObject({ state: "over" });
  });

  it("goes down as well, with the worst price of its side", () => {
    const { first } = begun({ say: work({ position: "-3", clip: "2", limit: 1998 }) });
    expect(sent(first)).toEqual([["SELL", 1998, "2"]]);
  });

  it("never goes beyond the position, whatever is in doubt", () => {
    const { bot, first } = begun({ say: work({ position: "1.5" }) });
    expect(sent(first)).toEqual([["BUY", 2005, "1"]]);
    bot.step({ type: "response", intent: 1, outcome: { type: "unknown", message: "" } });
    // One order has the name: the next one follows its end.
    expect(sent(bot.after(5_000))).toEqual([]);
    expect(sent(bot.step(bot.event(1, "CANCELED")))).toEqual([["BUY", 2005, "1"]]);
  });

  it("counts the takes of the same decision", () => {
    const workTo = { position: "1.5", clip: "5", every: 500 };
    const { first } = begun({ say: setQuotes({ takes: [{ ...take, size: "1" }], workTo }) });
    expect(sent(first)).toEqual([
      ["BUY", 2005, "1"],
      ["BUY", 2005, "0.5"],
    ]);
  });

  it("counts what an earlier run left in doubt", () => {
    const order: RestoredOrder = {
      orderId: hashOf(99),
      nonce: 0,
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY",
      price: 2005,
      quantity: "1",
      executed: "0",
      tradeIds: [],
      take: { name: "other", worst: 2005 },
    };
    const restored: Input = {
      type: "restored",
      restored: { nonceHighWater: 0, orders: [order], carried: [] },
    };
    const { first } = begun({ say: work({ position: "1.5", clip: "5" }) }, [restored]);
    expect(sent(first)).toEqual([["BUY", 2005, "0.5"]]);
  });
});
