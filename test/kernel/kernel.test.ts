import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import type { RestoredOrder } from "../../src/orders/restored-order.ts";
import type { Input } from "../../src/kernel/input.ts";
import { refusalReasonOf } from "../../src/spec/refusal.ts";
import { keepQuotes, noQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { Decision } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import {
  cancelsOf,
  Harness,
  hashOf,
  market,
  placedIn,
  placesOf,
  readsOf,
  start,
  bidReport,
  unwatched,
} from "./harness.ts";

const around = (view: MarketView, offset = 1, size = "1"): Decision => {
  const mid = view.book.mid ?? 0;
  return setQuotes({
    bids: [{ price: mid - offset, size }],
    asks: [{ price: mid + offset, size }],
    tolerance: 0.0002,
  });
};

/** What a proxy in front of the venue says to a command. */
const forbidden = (intent: number): Input => ({
  type: "response",
  intent,
  outcome: {
    type: "refused",
    reason: refusalReasonOf(403),
    message: "Forbidden",
    retryAfterMs: undefined,
  },
});

describe("the reason why a side is not quoted", () => {
  it("is not that the strategy wants none when its quote was filled", () => {
    let decisions = 0;
    const bot = new Harness({
      decide: (view) => {
        decisions += 1;
        return decisions === 1 ? around(view) : keepQuotes();
      },
    });
    bot.begin();
    bot.step(bot.event(1, "NEW"), bot.event(2, "NEW"));
    bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "t1" }));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "quoteReason",
        side: "BUY",
        reason: "its quotes were filled or have ended; the next decision places new ones",
      }),
    );
  });

  it("is that the account is empty when it holds neither token of the market", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin(undefined, bot.balances("0", "0"));
    for (const side of ["BUY", "SELL"]) {
      const reason = expect.stringContaining("the account is empty");
      expect(bot.notes).toContainEqual({
        type: "quoteReason",
        strategy: "maker",
        marketId: market.marketId,
        side,
        reason,
        inPart: false,
      });
    }
  });

  it("is noted as partial when the quotes are smaller than wanted", () => {
    const bot = new Harness({
      decide: (view) => ({ ...around(view), reason: { BUY: "the balance is short" } }),
    });
    bot.begin();
    bot.step(bot.event(1, "NEW"), bot.event(2, "NEW"));
    const told = bot.notes.filter((note) => note.type === "quoteReason").slice(-2);
    expect(told).toMatchObject([
      { side: "BUY", reason: "the balance is short", inPart: true },
      { side: "SELL", reason: undefined },
    ]);
  });
});

describe("start", () => {
  it("requests the clock first, and orders, balances and book once the stream is open", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    expect(readsOf(bot.step())).toEqual(["venueTime"]);
    const reads = readsOf(
      bot.step(
        { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
        { type: "stream", state: "opened", reason: "" },
      ),
    );
    expect([...reads].sort()).toEqual(["balances", "book", "openOrders"]);
  });

  it("sleeps while the venue's clock is unknown, even when the probe is due", () => {
    const bot = new Harness({
      decide: (view) => around(view),
      config: { probeOrderId: hashOf(999) },
    });
    bot.step();
    bot.step({
      type: "readFailed",
      read: "venueTime",
      key: "",
      message: "no answer",
      reason: "unavailable",
      retryAfterMs: undefined,
    });
    expect(bot.kernel.nextDeadlineMs).toBeGreaterThan(bot.nowMs);
  });

  it("quotes nothing until every start condition is met, then both sides", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    const effects = bot.begin();
    expect(placesOf(effects).map(({ side, price }) => [side, price])).toEqual([
      ["BUY", 1999],
      ["SELL", 2001],
    ]);
    expect(placedIn(bot.notes)).toHaveLength(2);
  });

  it("stops when the probe's cancel is refused for its signature", () => {
    const bot = new Harness({
      decide: (view) => around(view),
      config: { probeOrderId: hashOf(999) },
    });
    bot.step();
    const effects = bot.step({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    expect(cancelsOf(effects)).toEqual([hashOf(999)]);
    const end = bot.step({
      type: "response",
      intent: 1,
      outcome: {
        type: "refused",
        reason: "unauthorized",
        message: "bad signature",
        retryAfterMs: undefined,
      },
    });
    const more = [...end, ...bot.step({ type: "openOrders", orders: [] })];
    expect(more).toContainEqual({
      type: "finished",
      ok: false,
      reason: "the venue does not take our signed commands: bad signature",
    });
  });

  it("stops when something before the venue forbids the probe's cancel", () => {
    const bot = new Harness({
      decide: (view) => around(view),
      config: { probeOrderId: hashOf(999) },
    });
    bot.step();
    bot.step({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    const end = bot.step(forbidden(1));
    const more = [...end, ...bot.step({ type: "openOrders", orders: [] })];
    expect(more).toContainEqual(expect.objectContaining({ type: "finished", ok: false }));
  });

  it("goes on when a proxy forbids some commands of a bot that the venue knows: the signature was not judged", () => {
    const bot = new Harness({ decide: (view) => around(view), config: { timing: unwatched } });
    bot.begin();
    let last = 0;
    for (let id = 101; id < 111; id += 1) {
      const open = [...bot.places.keys()].filter((intent) => intent > last);
      last = open.at(-1) ?? last;
      bot.after(3_000, ...open.map(forbidden), bot.depth(id, [1999, id], []));
    }
    expect(bot.places.size).toBeGreaterThan(6);
    expect(bot.notes).not.toContainEqual(expect.objectContaining({ code: "SIGNATURE_REFUSED" }));
  });

  it('quotes after the probe\'s cancel was refused with "no such order"', () => {
    const bot = new Harness({
      decide: (view) => around(view),
      config: { probeOrderId: hashOf(999) },
    });
    expect(placesOf(bot.begin())).toEqual([]);
    const effects = bot.step({
      type: "response",
      intent: 1,
      outcome: {
        type: "refused",
        reason: "notFound",
        message: "no such order",
        retryAfterMs: undefined,
      },
    });
    expect(placesOf(effects)).toHaveLength(2);
  });
});

describe("quoting", () => {
  it("keeps orders within tolerance and replaces the others, sending cancels first", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    // The mid moves by 0.05: within 0.02 % of 2000.
    expect(bot.step(bot.depth(101, [1999.1, 5], []))).toEqual([]);
    expect(bot.notes.at(-1)).toMatchObject({ type: "planned", kept: [{}, {}] });
    // It moves by 2 more: both sides are out of tolerance.
    const effects = bot.step(bot.depth(102, [2000, 5, 1999.1, 0, 1999, 0], [2006, 5, 2001, 0]));
    expect(effects.slice(0, 3).map(({ type }) => type)).toEqual(["cancel", "cancel", "place"]);
    // The new bid would cross our old ask, so it is denied until that is gone. The old bid fits no target and does not wait for it.
    expect(cancelsOf(effects)).toEqual([hashOf(2), hashOf(1)]);
    expect(placesOf(effects).map(({ price }) => price)).toEqual([2004]);
    const later = bot.step(bot.event(2, "CANCELED"), bot.event(1, "CANCELED"));
    expect(placesOf(later).map(({ price }) => price)).toEqual([2002]);
  });

  it("never sends a quote across the touch", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 2010, size: "1" }] }),
    });
    expect(placesOf(bot.begin())).toMatchObject([{ side: "BUY", price: 2000.9 }]);
  });

  it("does not place a filled quote again before the next decision", () => {
    let quotes = true;
    const bot = new Harness({ decide: (view) => (quotes ? around(view) : keepQuotes()) });
    bot.begin();
    quotes = false;
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const effects = bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "t1" }));
    expect(placesOf(effects)).toEqual([]);
    quotes = true;
    expect(placesOf(bot.after(1, bot.depth(101, [1999, 6], [])))).toMatchObject([
      { side: "BUY", price: 1999 },
    ]);
  });

  it("counts own fills once and shows them to the strategy", () => {
    const seen: string[] = [];
    const bot = new Harness({
      decide: (view) => {
        seen.push(...view.fills.map((fill) => fill.quantity.toString()));
        return around(view);
      },
    });
    bot.begin();
    const fill = bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "t1" });
    bot.step(fill, fill);
    bot.step(fill);
    expect(seen).toEqual(["0.4"]);
    expect(bot.notes.filter((note) => note.type === "fill")).toHaveLength(1);
  });

  it("pauses a side after the venue refused its placement", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    const refused = (intent: number) =>
      ({
        type: "response",
        intent,
        outcome: { type: "refused", reason: "invalid", message: "no", retryAfterMs: undefined },
      }) as const;
    expect(placesOf(bot.step(refused(1), bot.accepted(2)))).toEqual([]);
    expect(placesOf(bot.after(500, bot.depth(101, [1999, 6], [])))).toEqual([]);
    expect(placesOf(bot.after(600))).toMatchObject([{ side: "BUY" }]);
  });

  it("sends only cancels while a 429 lasts", () => {
    let offset = 1;
    const bot = new Harness({ decide: (view) => around(view, offset) });
    bot.begin();
    bot.step(bot.accepted(1), bot.event(1, "NEW"), {
      type: "response",
      intent: 2,
      outcome: { type: "refused", reason: "rateLimited", message: "slow down", retryAfterMs: 3000 },
    });
    offset = 10;
    const effects = bot.after(1500, bot.depth(101, [1999, 6], []));
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    expect(placesOf(effects)).toEqual([]);
    expect(placesOf(bot.after(1600))).toHaveLength(2);
  });

  it.each([
    ["nothing", undefined, "decide returned undefined"],
    ["an object of its own", { bids: [] }, "decide returned an object"],
  ])("disables a strategy that returns %s, and says what to return", (_, made, message) => {
    // A plugin's types are not checked when it is loaded.
    const plugin: object = { decide: () => made };
    const bot = new Harness({ decide: Reflect.get(plugin, "decide") });
    bot.begin();
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "strategyFault",
        message: `${message}, not a decision; return setQuotes(…), noQuotes(…) or keepQuotes()`,
      }),
    );
  });

  it("does not send what risk denies, and notes the reason once", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1999, size: "900" }] }),
    });
    expect(placesOf(bot.begin())).toEqual([]);
    bot.step(bot.depth(101, [1999, 6], []));
    const denials = bot.notes.filter((note) => note.type === "denied");
    expect(denials[0]).toMatchObject({ reason: { rule: "balance" } });
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "quoteReason",
        side: "BUY",
        reason: expect.stringContaining("balance"),
      }),
    );
  });
});

describe("trouble", () => {
  it("sends nothing new after a gap, fetches the book again and continues once it is in sync", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const effects = bot.step(bot.depth(150, [1500, 1], []));
    expect(readsOf(effects)).toEqual(["book"]);
    expect(cancelsOf(effects)).toEqual([]);
    const back = bot.after(100, bot.snapshot(2009, 2011, 150));
    expect(cancelsOf(back)).toEqual([hashOf(2), hashOf(1)]);
  });

  it("pulls every quote when the book stays unusable for too long", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    bot.step(bot.depth(150, [1500, 1], []));
    const deadlineMs = bot.kernel.nextDeadlineMs ?? Number.POSITIVE_INFINITY;
    expect(deadlineMs).toBeLessThanOrEqual(bot.nowMs + 10_001);
    expect(cancelsOf(bot.after(9_000, { type: "stream", state: "alive", reason: "" }))).toEqual([]);
    expect(
      cancelsOf(bot.after(1_001, { type: "stream", state: "alive", reason: "" })),
    ).toHaveLength(2);
  });

  it("never requests a step in the past", () => {
    const bot = new Harness({
      decide: (view) => setQuotes({ wakeAtMs: view.nowMs + 50 }),
    });
    bot.begin();
    const deadlines: number[] = [];
    const look = (...inputs: Parameters<typeof bot.step>) => {
      bot.after(100, ...inputs);
      deadlines.push((bot.kernel.nextDeadlineMs ?? Number.POSITIVE_INFINITY) - bot.nowMs);
    };
    look({ type: "operator", command: "pause" });
    look();
    look({ type: "operator", command: "resume" });
    look({ type: "stream", state: "closed", reason: "gone" });
    look();
    bot.nowMs += 60_000;
    look();
    look();
    expect(Math.min(...deadlines)).toBeGreaterThan(0);
  });

  it("disables a strategy that throws and cancels its orders", () => {
    let fails = false;
    const bot = new Harness({
      decide: (view) => {
        if (fails) throw new Error("division by something");
        return around(view);
      },
    });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    fails = true;
    expect(cancelsOf(bot.step(bot.depth(101, [1999, 6], [])))).toHaveLength(2);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ type: "strategyFault", message: "division by something" }),
    );
  });

  it("adopts fitting orders of an earlier run, and never reuses a nonce", () => {
    const bot = new Harness({
      decide: (view) => around(view),
      config: { rate: { perSecond: 20, burst: 40, concurrency: 16 } },
    });
    const restored: RestoredOrder = {
      orderId: hashOf(77),
      nonce: 1_767_225_500_000,
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY",
      price: 1999,
      quantity: "1",
      executed: "0",
      tradeIds: [],
    };
    bot.step({
      type: "restored",
      restored: { nonceHighWater: 1_767_225_605_000, orders: [restored], carried: [] },
    });
    bot.step();
    bot.step(
      { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    const listed = { ...bidReport(hashOf(77), restored.nonce), price: fixed("1999") };
    bot.step({ type: "openOrders", orders: [listed] }, bot.balances());
    const effects = bot.step(bot.snapshot(1999, 2001));
    expect(placesOf(effects)).toMatchObject([{ side: "SELL", nonce: 1_767_225_605_001 }]);
  });
});

describe("stop", () => {
  it("cancels each order, queries the venue, and finishes only when none is left", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const stopping = bot.step({ type: "operator", command: "stop" });
    expect(cancelsOf(stopping)).toEqual([hashOf(1), hashOf(2)]);
    expect(stopping.some(({ type }) => type === "finished")).toBe(false);
    bot.step(bot.accepted(3), bot.accepted(4), bot.event(1, "CANCELED"));
    const listing = bot.step(bot.event(2, "CANCELED"));
    expect(readsOf(listing)).toEqual(["openOrders"]);
    const end = bot.step({ type: "openOrders", orders: [] });
    expect(end).toContainEqual({ type: "finished", ok: true, reason: "asked to stop" });
  });

  it("waits for missing fills, and requests them by the venue's clock until they arrive", () => {
    const timing = { ...defaultTiming, stopMs: 120_000 };
    const bot = new Harness({ decide: (view) => around(view), config: { timing } });
    bot.step();
    bot.step(
      { type: "venueTime", offsetMs: -400_000, roundTripMs: 1 },
      { type: "stream", state: "opened", reason: "" },
    );
    bot.step({ type: "openOrders", orders: [] }, bot.balances());
    bot.step(bot.snapshot(1999, 2001));
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    bot.step({ type: "stream", state: "closed", reason: "" });
    bot.step({ type: "operator", command: "stop" });
    bot.step({ ...bot.accepted(3) }, bot.accepted(4), bot.event(2, "CANCELED"));
    bot.after(300);
    const report = bot.report(1, "FILLED", "1");
    const querying = bot.step({ type: "order", orderId: hashOf(1), report });
    const reads = querying.filter(({ type }) => type === "fills");
    expect(reads).toEqual([{ type: "fills", sinceMs: start - 400_000 - 60_000 }]);
    // No fill yet: the run does not end, and the next list of open orders triggers another query.
    expect(bot.step({ type: "fills", fills: [] })).toEqual([]);
    bot.after(30_000);
    expect(readsOf(bot.step({ type: "openOrders", orders: [] }))).toContain("fills");
    const fill = {
      tradeId: "t1",
      orderId: hashOf(1),
      marketId: market.marketId,
      side: "BUY",
      price: fixed("1999"),
      quantity: fixed("1"),
      fee: fixed("0"),
      feeToken: market.baseToken,
      isMaker: true,
      timeMs: unixMs(start - 400_000),
    } as const;
    expect(readsOf(bot.step({ type: "fills", fills: [fill] }))).toContain("openOrders");
    expect(bot.step({ type: "openOrders", orders: [] })).toContainEqual(
      expect.objectContaining({ type: "finished", ok: true }),
    );
  });

  it("gives up when own orders cannot be settled, and reports that", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    bot.step({ type: "operator", command: "stop" });
    expect(bot.after(9_999)).not.toContainEqual(expect.objectContaining({ type: "finished" }));
    expect(bot.kernel.nextDeadlineMs).toBe(bot.nowMs + 1);
    expect(bot.after(1)).toContainEqual({
      type: "finished",
      ok: false,
      reason: "asked to stop; own orders could not be settled within 10 s",
    });
  });

  it("finishes at once when nothing was ever sent", () => {
    const bot = new Harness({ decide: () => noQuotes("not today") });
    bot.begin();
    expect(bot.step({ type: "operator", command: "stop" })).toContainEqual({
      type: "finished",
      ok: true,
      reason: "asked to stop",
    });
  });

  it("sends only cancels when the journal cannot be written, and ends as failed", () => {
    const bot = new Harness({ decide: (view) => around(view) });
    bot.begin();
    bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW"), bot.event(2, "NEW"));
    const effects = bot.step({ type: "journalFailed", message: "disk full" });
    expect(cancelsOf(effects)).toHaveLength(2);
    bot.step(bot.event(1, "CANCELED"), bot.event(2, "CANCELED"));
    expect(bot.step({ type: "openOrders", orders: [] })).toContainEqual({
      type: "finished",
      ok: false,
      reason: "the journal cannot be written: disk full",
    });
  });
});

it("gives the same effects for the same batches", () => {
  const run = () => {
    const bot = new Harness({ decide: (view) => around(view) });
    const effects = [...bot.begin()];
    effects.push(...bot.step(bot.accepted(1), bot.accepted(2), bot.event(1, "NEW")));
    for (let id = 101; id < 140; id += 1) {
      effects.push(...bot.after(37, bot.depth(id, [1999 + (id % 7), 5], [2001 + (id % 11), 3])));
    }
    return effects;
  };
  expect(run()).toEqual(run());
  expect(run().length).toBeGreaterThan(5);
});

it("sends exact sizes", () => {
  const bot = new Harness({ decide: (view) => around(view, 1, "0.123456789012345678") });
  expect(placesOf(bot.begin())[0]?.quantity).toBe(fixed("0.123456789012345678"));
});

it("gives the mid without our own orders, while the book is in sync", () => {
  const bot = new Harness({ decide: (view) => around(view, 0.5) });
  expect(bot.kernel.mid(market.marketId)).toBeUndefined();
  bot.begin();
  bot.step(bot.accepted(1), bot.accepted(2));
  // Our bid is alone inside the spread.
  bot.step(bot.depth(101, [1999.5, 1], []));
  expect(bot.kernel.mid(market.marketId)).toBe(2000);
  bot.step(bot.depth(102, [1999.5, 4], []));
  expect(bot.kernel.mid(market.marketId)).toBe(2000.25);
  bot.step({ type: "stream", state: "closed", reason: "" });
  expect(bot.kernel.mid(market.marketId)).toBeUndefined();
});
