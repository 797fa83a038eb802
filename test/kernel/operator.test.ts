import { describe, expect, it } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import {
  type Fill,
  type OrderEvent,
  type OrderReport,
  receivedToken,
} from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { bidReport, cancelsOf, Harness, hashOf } from "./harness.ts";

/** A bot with one stop order and two quotes, all acknowledged. */
function quoting(): Harness {
  const bot = new Harness({
    decide: () =>
      setQuotes({
        bids: [{ price: 1990, size: "1" }],
        asks: [{ price: 2010, size: "1" }],
        stops: [{ name: "floor", side: "SELL", size: "1", stopPrice: 1900 }],
        tolerance: 0.01,
      }),
  });
  bot.begin();
  for (const intent of [1, 2, 3]) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
  return bot;
}

/** The user event of an order. */
function told(order: OrderReport, eventType: OrderEvent["eventType"], fill?: Fill): Input {
  const { orderId: txHash, createdAtMs: timeMs } = order;
  return { type: "orderEvent", event: { eventType, order, fill, blockNumber: 1, txHash, timeMs } };
}

/** Price and stop price of each order that an effect of the step makes. */
function made(effects: ReturnType<Harness["step"]>): number[] {
  return effects.flatMap((effect) =>
    effect.type === "place" ? [effect.price] : effect.type === "stop" ? [effect.stopPrice] : [],
  );
}

const tick = (bot: Harness, id: number) => bot.after(100, bot.depth(id, [1999, 6], []));

describe("an operator's halt", () => {
  const reason = "the market is closing";

  it("cancels stop orders too, shows its reason, and lasts until resume", () => {
    const bot = quoting();
    expect(cancelsOf(bot.step({ type: "operator", command: "halt", reason }))).toHaveLength(3);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ type: "quoteReason", reason: `halted: ${reason}` }),
    );
    for (const intent of [1, 2, 3]) bot.step(bot.event(intent, "CANCELED"));
    expect(made(tick(bot, 101))).toEqual([]);
    expect(made(bot.step({ type: "operator", command: "pause" }))).toEqual([]);
    expect(made(bot.step({ type: "operator", command: "resume", strategy: "maker" }))).toEqual([]);
    expect(made(tick(bot, 102))).toEqual([]);
    const resumed = bot.step({ type: "operator", command: "resume" });
    expect(made([...resumed, ...tick(bot, 103)])).toEqual([1900, 1990, 2010]);
  });

  it("that comes before the start lets nothing be placed", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }] }),
    });
    bot.step({ type: "operator", command: "halt", reason });
    expect(made(bot.begin())).toEqual([]);
    expect(made(tick(bot, 101))).toEqual([]);
  });
});

it("an agent's resume that was looked at before a halt does not end it", () => {
  const bot = quoting();
  const by = { who: "helper", from: "127.0.0.1", isAgent: true } as const;
  const of = { type: "operator", strategy: "maker" } as const;
  bot.step({ ...of, command: "halt", reason: "lunch" }, { ...of, command: "resume", by });
  expect(bot.kernel.resumeReport("maker").guarded).toEqual(["the halt of maker (lunch)"]);
  bot.step({ ...of, command: "resume" });
  expect(bot.kernel.resumeReport("maker").guarded).toEqual([]);
});

describe("an operator's halt of one strategy", () => {
  const strategy = "maker";

  it("cancels its stop orders too, and neither the bot's resume nor that of another strategy ends it", () => {
    const bot = quoting();
    const halt = { type: "operator", command: "halt", strategy, reason: "lunch" } as const;
    expect(cancelsOf(bot.step(halt))).toHaveLength(3);
    for (const intent of [1, 2, 3]) bot.step(bot.event(intent, "CANCELED"));
    expect(bot.kernel.standstill(strategy)).toBe("halted");
    expect(bot.kernel.standstill()).toBeUndefined();
    bot.step({ type: "operator", command: "halt", reason: "news" });
    expect(bot.kernel.resumeReport()).toMatchObject({
      lifted: ["the halt (news)"],
      remaining: ["the halt of maker (lunch)"],
    });
    bot.step({ type: "operator", command: "resume" });
    bot.step({ type: "operator", command: "resume", strategy: "other" });
    expect(made(tick(bot, 101))).toEqual([]);
    const resumed = bot.step({ type: "operator", command: "resume", strategy });
    expect(made([...resumed, ...tick(bot, 102)])).toEqual([1900, 1990, 2010]);
  });

  it("is left to the next run, as is its end", () => {
    const bot = quoting();
    bot.step({ type: "operator", command: "halt", strategy, reason: "lunch" });
    const halted = { type: "pause", strategy, isPaused: false, haltReason: "lunch" };
    expect(bot.carried).toContainEqual(halted);
    bot.step({ type: "operator", command: "resume", strategy });
    expect(bot.carried).toContainEqual({ type: "pause", strategy, isPaused: false });
  });
});

describe("a pause of one strategy", () => {
  it("outlives a pause and a resume of the bot", () => {
    const bot = quoting();
    bot.step({ type: "operator", command: "pause", strategy: "maker" });
    bot.step({ type: "operator", command: "pause" });
    bot.step({ type: "operator", command: "resume" });
    expect(bot.kernel.standstill("maker")).toBe("paused");
  });

  it("pulls its quotes, keeps its stop orders, and ends with its resume", () => {
    const bot = quoting();
    const paused = bot.step({ type: "operator", command: "pause", strategy: "maker" });
    expect(cancelsOf(paused)).toHaveLength(2);
    for (const intent of [2, 3]) bot.step(bot.event(intent, "CANCELED"));
    expect(made(tick(bot, 101))).toEqual([]);
    const resumed = bot.step({ type: "operator", command: "resume", strategy: "maker" });
    expect(made([...resumed, ...tick(bot, 102)])).toEqual([1990, 2010]);
  });

  it("of a strategy that the bot does not have changes nothing", () => {
    const bot = quoting();
    const effects = bot.step({ type: "operator", command: "pause", strategy: "other" });
    expect(cancelsOf(effects)).toEqual([]);
  });
});

describe("a cancel by the operator", () => {
  it("cancels the orders that it names, stop orders too, once: the strategy quotes again", () => {
    const bot = quoting();
    const orderIds = [hashOf(2)];
    const canceled = cancelsOf(bot.step({ type: "operator", command: "cancel", orderIds }));
    expect(canceled).toEqual(orderIds);
    expect(made([...bot.step(bot.event(2, "CANCELED")), ...tick(bot, 101)])).toEqual([1990]);
    expect(cancelsOf(tick(bot, 102))).toEqual([]);
  });

  it("cancels a foreign order only where it is named, until it has ended", () => {
    const bot = quoting();
    const foreign = bidReport(hashOf(99), bot.nowMs);
    bot.step(told(foreign, "NEW"));
    expect(bot.kernel.foreignOrders).toEqual([{ orderId: hashOf(99), takers: ["maker"] }]);
    const named = { type: "operator", command: "cancel", orderIds: [hashOf(99)] } as const;
    expect(cancelsOf(bot.step({ ...named, strategy: "maker" }))).toEqual([]);
    expect(cancelsOf(bot.step(named))).toEqual([hashOf(99)]);
    expect(cancelsOf(tick(bot, 101))).toEqual([]);
    expect(cancelsOf(bot.after(3_000))).toEqual([hashOf(99)]);
    bot.step(told({ ...foreign, status: "CANCELED" }, "CANCEL"));
    expect(bot.kernel.foreignOrders).toEqual([]);
    expect(cancelsOf(bot.after(3_000))).toEqual([]);
    expect(cancelsOf(bot.step(named))).toEqual([]);
  });

  it("without names cancels all that is open, of one strategy or of all", () => {
    const bot = quoting();
    const other = bot.step({ type: "operator", command: "cancel", strategy: "other" });
    expect(cancelsOf(other)).toEqual([]);
    expect(cancelsOf(bot.step({ type: "operator", command: "cancel" }))).toHaveLength(3);
  });
});

describe("a foreign order that an operator gives to a strategy", () => {
  it("is its own from then on: the journal has it, its fills count, and the plan cancels what it does not want", () => {
    const bot = quoting();
    const foreign = { ...bidReport(hashOf(99), bot.nowMs), price: fixed("1980") };
    bot.step(told(foreign, "NEW"));
    const takeOver = { type: "operator", command: "takeOver", orderId: hashOf(99) } as const;
    const gone = bot.step({ ...takeOver, strategy: "other" });
    expect(gone).not.toContainEqual(expect.objectContaining({ type: "adopt" }));
    const effects = bot.step({ ...takeOver, strategy: "maker" });
    expect(effects).toContainEqual(
      expect.objectContaining({
        type: "adopt",
        order: expect.objectContaining({ orderId: hashOf(99), strategy: "maker", price: 1980 }),
      }),
    );
    expect(bot.kernel.foreignOrders).toEqual([]);
    const { marketId, side, price } = foreign;
    const fill: Fill = {
      tradeId: "t1",
      orderId: hashOf(99),
      marketId,
      side,
      price,
      quantity: fixed("0.25"),
      fee: ZERO,
      feeToken: receivedToken(marketId, side),
      isMaker: true,
      timeMs: unixMs(bot.nowMs),
    };
    const part = { ...foreign, executedQty: fixed("0.25"), status: "PARTIALLY_FILLED" } as const;
    const after = bot.step(told(part, "TRADE", fill));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ type: "fill", strategy: "maker", fill }),
    );
    expect(cancelsOf([...effects, ...after, ...tick(bot, 101)])).toEqual([hashOf(99)]);
  });
});
