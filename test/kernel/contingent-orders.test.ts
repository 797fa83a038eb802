import { describe, expect, it } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import type {
  Fill,
  OrderEventType,
  OrderReport,
  OrderStatus,
  OrderType,
} from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { KernelConfig } from "../../src/kernel/config.ts";
import type { Input } from "../../src/kernel/input.ts";
import { type Decision, setQuotes, type WantedStop } from "../../src/strategy/contract.ts";
import type { MarketView, OwnStop } from "../../src/strategy/view.ts";
import {
  cancelCommandsOf,
  cancelsOf,
  Harness,
  hashOf,
  market,
  owner,
  unwatched,
} from "./harness.ts";

/** By then no copy of the bytes of the first command can be accepted. */
const NONCE_EXPIRED_MS = 62_000;
const clockRead: Input = { type: "venueTime", offsetMs: 0, roundTripMs: 1 };

/** What cancels stop orders and legs, and what happens to stops that the venue does not accept. Mid 2000. */

const stop: WantedStop = { name: "floor", side: "SELL", size: "1", stopPrice: 1950 };
const quote = { price: 1990, size: "1", tpsl: { takeProfit: 2050, stopLoss: 1900 } };

function begun(target: { say: Decision }, config: Partial<KernelConfig> = {}) {
  let stops: readonly OwnStop[] = [];
  const bot = new Harness({
    config,
    decide: (view: MarketView) => {
      ({ stops } = view);
      return target.say;
    },
  });
  const first = bot.begin();
  return { bot, first, stops: () => stops };
}

/** An event of order `intent`. A leg's id is its quote's plus one or two. */
function says(
  bot: Harness,
  intent: number,
  eventType: OrderEventType,
  status: OrderStatus,
  orderType: OrderType = "STOP_LOSS_MARKET",
): Input {
  bot.block += 1;
  const order = reportOf(bot, intent, status, orderType);
  const block = { blockNumber: bot.block, timeMs: order.updatedAtMs, txHash: hashOf(intent) };
  return { type: "orderEvent", event: { eventType, order, fill: undefined, ...block } };
}

/** A fill of a leg, which is the only one of that leg. */
function traded(
  bot: Harness,
  intent: number,
  status: OrderStatus,
  quantity: string,
  orderType?: OrderType,
): Input {
  const said = says(bot, intent, "TRADE", status, orderType);
  if (said.type !== "orderEvent") throw new Error("no event");
  const { order } = said.event;
  const { orderId, marketId, side, price, updatedAtMs: timeMs } = order;
  const fill: Fill = {
    tradeId: `t${intent}`,
    orderId,
    marketId,
    side,
    price,
    quantity: fixed(quantity),
    fee: ZERO,
    feeToken: market.quoteToken,
    isMaker: true,
    timeMs,
  };
  const executed = { ...order, executedQty: fixed(quantity) };
  return { type: "orderEvent", event: { ...said.event, order: executed, fill } };
}

/** What the venue says of the sale `intent` of 1. */
function reportOf(
  bot: Harness,
  intent: number,
  status: OrderStatus,
  orderType: OrderType = "STOP_LOSS_MARKET",
): OrderReport {
  const timeMs = unixMs(bot.nowMs);
  return {
    orderId: hashOf(intent),
    account: owner,
    marketId: market.marketId,
    side: "SELL",
    orderType,
    orderMode: 0,
    price: orderType === "TAKE_PROFIT_LIMIT" ? fixed("2050") : ZERO,
    origQty: fixed("1"),
    origQuoteOrderQty: ZERO,
    executedQty: ZERO,
    executedQuoteQty: ZERO,
    status,
    createdAtMs: timeMs,
    updatedAtMs: timeMs,
  };
}

/** A waiting stop order (intent 1), a filled quote (2) with placed legs (3, 4), and a resting quote (5). */
function protectedBot(config?: Partial<KernelConfig>) {
  const target = { say: setQuotes({ stops: [stop], bids: [quote] }) };
  const started = begun(target, config);
  const { bot, first } = started;
  expect(first.map(({ type }) => type)).toEqual(["stop", "place"]);
  bot.step(bot.accepted(1), says(bot, 1, "NEW", "NEW"), bot.accepted(2), bot.event(2, "NEW"));
  target.say = setQuotes({ stops: [stop] });
  bot.step(
    bot.event(2, "FILLED", { quantity: "1", tradeId: "t" }),
    says(bot, 3, "NEW", "NEW", "TAKE_PROFIT_LIMIT"),
    says(bot, 4, "NEW", "NEW"),
  );
  target.say = setQuotes({ stops: [stop], bids: [{ price: 1980, size: "1" }] });
  bot.after(10, bot.depth(101, [1998, 1], []));
  bot.step(bot.accepted(5), bot.event(5, "NEW"));
  return { ...started, target };
}

const idsOf = (effects: Parameters<typeof cancelsOf>[0]) => cancelsOf(effects).map(Number);

describe("stop orders and placed legs", () => {
  it("stay through a pause and a silent venue, which pull quotes", () => {
    const { bot } = protectedBot();
    expect(idsOf(bot.step({ type: "operator", command: "pause" }))).toEqual([5]);
    const silent = protectedBot().bot;
    expect(idsOf(silent.after(11_000))).toEqual([5]);
    // The cancel is sent again; the others stay.
    expect(idsOf(silent.after(11_000))).toEqual([5]);
  });

  it("are canceled when the bot stops, with one cancel for a pair of legs", () => {
    const { bot } = protectedBot();
    expect(idsOf(bot.step({ type: "operator", command: "stop" }))).toEqual([5, 1, 3]);
    // This venue does not end the pair by itself.
    const left = bot.step(says(bot, 3, "CANCEL", "CANCELED", "TAKE_PROFIT_LIMIT"));
    expect(idsOf(left)).toEqual([4]);
  });

  it("are canceled when the strategy fails", () => {
    const { bot, target } = protectedBot();
    target.say = setQuotes({ stops: [{ ...stop, stopPrice: -1 }] });
    expect(idsOf(bot.after(10, bot.depth(102, [1998, 2], [])))).toEqual([5, 1, 3]);
  });

  it("end with their unfilled quote: one cancel, not three", () => {
    const { bot } = begun({ say: setQuotes({ bids: [quote] }) });
    bot.step(bot.accepted(1), bot.event(1, "NEW"));
    expect(idsOf(bot.step({ type: "operator", command: "stop" }))).toEqual([1]);
  });
});

describe("a pair of legs in a stop", () => {
  const lost = { type: "unknown", message: "no response" } as const;
  const notFound = {
    type: "refused",
    reason: "notFound",
    message: "no such order",
    retryAfterMs: undefined,
  } as const;

  function stopping() {
    const { bot } = protectedBot();
    const effects = bot.step({ type: "operator", command: "stop" });
    const cancel = cancelCommandsOf(effects).find(({ orderId }) => orderId === hashOf(3));
    return { bot, intent: cancel?.intent ?? 0 };
  }

  it.each([lost, notFound])("has both canceled when the cancel of one is $type", (outcome) => {
    const { bot, intent } = stopping();
    expect(idsOf(bot.after(10, { type: "response", intent, outcome }))).toEqual([4]);
  });

  it("is no order without a response while its quote rests", () => {
    const { bot } = begun({ say: setQuotes({ bids: [quote] }) });
    bot.step(bot.accepted(1), bot.event(1, "NEW"), { type: "operator", command: "stop" });
    const end = bot.after(10_000);
    expect(end).toContainEqual(
      expect.objectContaining({ type: "finished", reason: expect.stringMatching(/within 10 s$/) }),
    );
  });
});

describe("legs and stops that the venue ended and lists as open", () => {
  it("count again, are in the journal, and are canceled in a stop", () => {
    const { bot } = protectedBot();
    const ended = [
      says(bot, 1, "CANCEL", "CANCELED"),
      says(bot, 3, "CANCEL", "CANCELED", "TAKE_PROFIT_LIMIT"),
      says(bot, 4, "CANCEL", "CANCELED"),
    ];
    bot.after(10, ...ended, { type: "stream", state: "closed", reason: "" });
    const opened = bot.after(10, { type: "stream", state: "opened", reason: "" });
    expect(opened.map(({ type }) => type)).toContain("openOrders");
    const list = [
      reportOf(bot, 1, "NEW"),
      reportOf(bot, 3, "NEW", "TAKE_PROFIT_LIMIT"),
      reportOf(bot, 4, "NEW"),
    ];
    const effects = bot.after(10, { type: "openOrders", orders: list });
    const adopted = effects.flatMap((effect) => (effect.type === "adopt" ? [effect.order] : []));
    expect(adopted).toMatchObject([
      { orderId: hashOf(1), stop: { name: "floor" } },
      { orderId: hashOf(3), leg: { of: hashOf(2), kind: "takeProfit", stopPrice: undefined } },
      { orderId: hashOf(4), leg: { of: hashOf(2), kind: "stopLoss", stopPrice: 1900 } },
    ]);
    const stopped = bot.after(10, { type: "operator", command: "stop" });
    expect(idsOf([...effects, ...stopped])).toEqual(expect.arrayContaining([1, 3]));
  });
});

describe("a leg that is larger than its quote", () => {
  it("is impossible, and its fill is not booked", () => {
    const { bot } = protectedBot();
    const event = traded(bot, 3, "PARTIALLY_FILLED", "500", "TAKE_PROFIT_LIMIT");
    if (event.type !== "orderEvent") throw new Error("no event");
    const order = { ...event.event.order, origQty: fixed("1000") };
    bot.after(10, { ...event, event: { ...event.event, order } });
    expect(bot.kernel.positions.map(({ position }) => position.base)).toEqual([fixed("1")]);
    const codes = bot.notes.flatMap((note) => (note.type === "doubt" ? [note.code] : []));
    expect(codes).toEqual(["ORDER_IMPOSSIBLE"]);
  });
});

describe("a stop order that the venue does not accept", () => {
  const stopsIn = (effects: readonly { readonly type: string }[]): number =>
    effects.filter(({ type }) => type === "stop").length;
  const bookEvent = (bot: Harness, id: number): Input => bot.depth(id, [1998, id], []);

  it.each([
    [
      "refused",
      { type: "refused", reason: "invalid", message: "no", retryAfterMs: undefined },
      "no",
    ],
    ["not sent", { type: "not-sent", message: "gone" }, "not sent: gone"],
  ] as const)("that was %s shows its reason, waits and is tried again", (_, outcome, reason) => {
    const { bot, stops } = begun({ say: setQuotes({ stops: [stop] }) });
    const response: Input = { type: "response", intent: 1, outcome };
    expect(stopsIn(bot.step(response))).toBe(0);
    expect(stops()).toMatchObject([{ name: "floor", state: "wanted", reason }]);
    expect(stopsIn(bot.after(500, bookEvent(bot, 101)))).toBe(0);
    expect(bot.kernel.nextDeadlineMs).toBeLessThanOrEqual(bot.nowMs + 500);
    expect(stopsIn(bot.after(600))).toBe(1);
  });

  it("waits the same short time after each failure to send, since the venue refused nothing", () => {
    const { bot } = begun({ say: setQuotes({ stops: [stop] }) });
    for (const intent of [1, 2, 3, 4, 5]) {
      bot.step({ type: "response", intent, outcome: { type: "not-sent", message: "gone" } });
      expect(stopsIn(bot.after(1_000))).toBe(1);
    }
  });

  it("waits its turn during an outage, and shows that as its reason", () => {
    const target = { say: setQuotes({ bids: [{ price: 1990, size: "1" }] }) };
    const { bot, stops } = begun(target);
    // Only one command at a time tries to connect, and this one has no outcome yet.
    const gone = (intent: number): Input => {
      const outcome = { type: "not-sent", message: "gone" } as const;
      return { type: "response", intent, outcome };
    };
    bot.step(gone(1));
    bot.after(10, bookEvent(bot, 101));
    bot.step(gone(2));
    target.say = setQuotes({ stops: [stop] });
    expect(stopsIn(bot.step(bookEvent(bot, 102)))).toBe(0);
    bot.step(bookEvent(bot, 103));
    expect(stops()).toMatchObject([
      { state: "wanted", reason: "waiting for a connection to the venue" },
    ]);
  });

  it("waits twice as long after each rejection, although each response is a 200", () => {
    const { bot, stops } = begun({ say: setQuotes({ stops: [stop] }) });
    let intent = 1;
    for (const cooldownMs of [1_000, 2_000, 4_000]) {
      bot.step(bot.accepted(intent));
      bot.step(says(bot, intent, "REJECTED", "REJECTED"));
      expect(stops()).toMatchObject([{ state: "wanted", reason: "the venue said REJECTED" }]);
      expect(stopsIn(bot.after(cooldownMs - 1))).toBe(0);
      expect(stopsIn(bot.after(1))).toBe(1);
      intent += 1;
    }
  });

  it("is canceled with a warning when the venue makes it the other kind, and not sent again at once", () => {
    const { bot, stops } = begun({ say: setQuotes({ stops: [stop] }) });
    const turned = bot.step(bot.accepted(1), says(bot, 1, "NEW", "NEW", "TAKE_PROFIT_MARKET"));
    expect(idsOf(turned)).toEqual([1]);
    expect(bot.notes).toContainEqual(expect.objectContaining({ code: "STOP_TURNED" }));
    const gone = says(bot, 1, "CANCEL", "CANCELED", "TAKE_PROFIT_MARKET");
    expect(stopsIn(bot.step(gone))).toBe(0);
    expect(stops()).toMatchObject([
      { state: "wanted", reason: "the market had passed its stop price" },
    ]);
    expect(stopsIn(bot.after(1_000))).toBe(1);
  });

  it("is placed again after a wait when someone else canceled it", () => {
    const { bot, stops } = begun({ say: setQuotes({ stops: [stop] }) });
    bot.step(bot.accepted(1), says(bot, 1, "NEW", "NEW"));
    expect(stopsIn(bot.step(says(bot, 1, "CANCEL", "CANCELED")))).toBe(0);
    expect(stops()).toMatchObject([{ state: "wanted", reason: "canceled by someone else" }]);
    expect(stopsIn(bot.after(1_000))).toBe(1);
  });

  it("of unknown outcome is not sent again until a query by id shows that the venue never received it", () => {
    const { bot, stops } = begun({ say: setQuotes({ stops: [stop] }) });
    bot.step({ type: "response", intent: 1, outcome: { type: "unknown", message: "" } });
    const queried = bot.after(300);
    expect(queried).toContainEqual({ type: "order", orderId: hashOf(1) });
    expect(stopsIn(bot.after(2_000, bookEvent(bot, 101)))).toBe(0);
    expect(stops()).toMatchObject([{ state: "sent" }]);
  });

  it("taken for never placed is canceled when it appears after another got its name", () => {
    const { bot } = begun({ say: setQuotes({ stops: [stop] }) }, { timing: unwatched });
    bot.step({ type: "response", intent: 1, outcome: { type: "unknown", message: "" } });
    expect(bot.after(NONCE_EXPIRED_MS)).toContainEqual({ type: "order", orderId: hashOf(1) });
    bot.step(clockRead);
    bot.step({ type: "order", orderId: hashOf(1), report: "absent" });
    expect(stopsIn(bot.after(1_000, bookEvent(bot, 101)))).toBe(1);
    bot.step(bot.accepted(2), says(bot, 2, "NEW", "NEW"));
    expect(idsOf(bot.step(says(bot, 1, "NEW", "NEW")))).toEqual([1]);
    expect(idsOf(bot.after(10, bookEvent(bot, 102)))).toEqual([]);
  });

  it("taken for never placed gets its name back when it appears before another is sent", () => {
    const target = { say: setQuotes({ stops: [stop] }) };
    const { bot, stops } = begun(target, { timing: unwatched });
    bot.step({ type: "response", intent: 1, outcome: { type: "unknown", message: "" } });
    bot.after(NONCE_EXPIRED_MS);
    bot.step(clockRead);
    target.say = setQuotes({});
    bot.step({ type: "order", orderId: hashOf(1), report: "absent" });
    bot.after(5_000, bookEvent(bot, 101));
    target.say = setQuotes({ stops: [stop] });
    // Its event and the decision that wants it again come in the same step.
    expect(stopsIn(bot.step(says(bot, 1, "NEW", "NEW"), bookEvent(bot, 102)))).toBe(0);
    bot.after(10, bookEvent(bot, 103));
    expect(stops()).toMatchObject([{ id: 1, state: "waiting" }]);
  });
});
