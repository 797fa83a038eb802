import { describe, expect, it } from "vitest";
import { fixed, fixedText, subFixed, ZERO } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { Fill } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Side } from "../../src/domain/side.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { PositionFigures } from "../../src/metrics/position-figures.ts";
import type { Summary, SummaryFields } from "../../src/metrics/summary.ts";
import { ADOPTED } from "../../src/kernel/orders/adoption.ts";
import type { OrderSnapshot } from "../../src/orders/order-snapshot.ts";
import { PositionBook } from "../../src/orders/position-book.ts";
import type { WantedQuotes } from "../../src/sim/decision-log.ts";
import type { ShownAmounts } from "../../src/sim/invariant.ts";
import { invariants } from "../../src/sim/invariants.ts";
import type { SeenTransaction } from "../../src/sim/seen-transaction.ts";
import { limit, market as marketOrder, NOW, testHash, testMarket } from "../support/exchange.ts";
import { aSnapshot, standing } from "../orders/order-notes.ts";
import {
  cancelOf,
  endAfter,
  goodEnd,
  other,
  owner,
  placement,
  plain,
  sent,
  summary,
  watch,
} from "./watched-invariant.ts";

const snapshot = (lastId: number, bid: number): Input => ({
  type: "book",
  snapshot: {
    marketId: testMarket().marketId,
    lastId,
    timeMs: NOW,
    bids: Float64Array.of(bid, 1),
    asks: new Float64Array(),
  },
});
/** An event of the whole book's changes from one id to another. */
const depth = (firstId: number, finalId: number): Input => ({
  type: "depth",
  event: {
    marketId: testMarket().marketId,
    firstId,
    finalId,
    timeMs: NOW,
    bids: new Float64Array(),
    asks: new Float64Array(),
  },
});
const noteOf = (fill: Fill, strategy = ""): Note => ({
  type: "fill",
  strategy,
  intent: 1,
  role: "quote",
  paramsVersion: 1,
  position: ZERO,
  fill,
});

const wantedAt = (side: Side, price: number, tolerance = 0, size = "1"): WantedQuotes => ({
  strategy: "",
  quotes: [{ side, price, size: fixed(size), isPlaced: true }],
  tolerance,
  sizeTolerance: 0,
  touch: { BUY: undefined, SELL: undefined },
});

const adoptionOf = (orderId: OrderId): Effect => ({
  type: "adopt",
  order: {
    orderId,
    nonce: 1,
    strategy: "maker",
    marketId: testMarket().marketId,
    side: "BUY",
    price: 99,
    quantity: "0.8",
    executed: "0",
    tradeIds: [],
  },
});

const opened: Input = { type: "stream", state: "opened", reason: "" };

describe("each invariant detects a violation", () => {
  it("exposure", () => {
    const { hooks, place, oracle, exchange } = watch("exposure");
    place("BUY", "100", "1");
    expect(hooks.tick?.()).toBeUndefined();
    place("SELL", "200", "0.9");
    place("SELL", "200", "0.2");
    expect(hooks.tick?.()).toMatch(/^SELL 1.1, limit 1.001/);
    // Another program's orders and fills on the account are not ours.
    const foreign = place("BUY", "100.5", "5");
    oracle.foreign.add(foreign);
    exchange.execute(other, marketOrder("SELL", "5"), NOW);
    expect(exchange.order(foreign)?.status).toBe("FILLED");
    expect(hooks.tick?.()).toMatch(/^SELL 1.1, limit 1.001/);
    // The limit counts over all runs.
    oracle.runStarts();
    hooks.runStarts?.();
    expect(hooks.tick?.()).toMatch(/^SELL 1.1, limit 1.001/);
  });

  it("exposure lets an order that is taken over exceed the limit, and nothing be added to it", () => {
    const { hooks, place, oracle, entry } = watch("exposure");
    place("BUY", "100", "0.6");
    const byHand = place("BUY", "99", "0.8");
    oracle.foreign.add(byHand);
    expect(hooks.tick?.()).toBeUndefined();
    entry({ effects: [adoptionOf(byHand)] });
    expect(oracle.openAtVenue()).toHaveLength(2);
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "98", "0.1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.5, limit 1.001/);
  });

  it("no-drift", () => {
    const { entry } = watch("no-drift");
    const drift = {
      type: "balanceDrift",
      message: "the balance of token 1 changed",
      tokenId: testMarket().baseToken,
      amount: fixed("1"),
      total: fixed("1"),
      afterBlock: 1,
      untilBlock: 2,
      transactions: [],
      transfers: [],
      unconfirmed: [],
      mayBeUnseen: false,
    } as const;
    expect(entry({ notes: [{ ...drift, code: "BALANCE_CHANGED" }] })).toBeUndefined();
    const alarm = { notes: [{ ...drift, code: "BALANCE_DRIFT" } as const] };
    expect(entry(alarm)).toBe("the balance of token 1 changed");
  });

  it("no-orphan", () => {
    const { hooks, place, oracle, world } = watch("no-orphan");
    const id = place("BUY", "100", "1");
    expect(hooks.tick?.()).toBeUndefined();
    world.limitedUntilMs = 10_000;
    world.nowMs = 20_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs = 25_001;
    expect(hooks.tick?.()).toContain("unknown");
    oracle.orders.set(id, "live");
    expect(hooks.tick?.()).toBeUndefined();
    oracle.orders.set(id, "ended");
    world.isAlive = false;
    world.nowMs = 60_000;
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("true-ends", () => {
    const { entry, place, exchange } = watch("true-ends");
    const orderId = place("BUY", "100", "1");
    const ends = (status: "CANCELED" | "FILLED" | "NEVER_PLACED") => {
      const order = aSnapshot({ orderId, ...standing(status) });
      return entry({ notes: [{ type: "order", strategy: "maker", order, before: undefined }] });
    };
    expect(ends("CANCELED")).toBe(`${orderId} is CANCELED in the bot () and NEW at the venue`);
    expect(ends("NEVER_PLACED")).toContain("NEVER_PLACED in the bot");
    exchange.execute(other, marketOrder("SELL", "1"), NOW);
    expect(ends("FILLED")).toBeUndefined();
  });

  it("nothing-in-doubt", () => {
    const { hooks, oracle, world } = watch("nothing-in-doubt");
    oracle.orders.set(testHash(1), "live");
    hooks.tick?.();
    expect(hooks.recovered?.()).toBeUndefined();
    world.nowMs = 6_000;
    expect(hooks.recovered?.()).toContain("missing at the venue");
    // The venue may still take what was sent before the faults ended.
    hooks.faultsEnded?.();
    oracle.nonces.set(testHash(1), NOW - 69_000);
    expect(hooks.recovered?.()).toBeUndefined();
    oracle.nonces.set(testHash(1), NOW - 69_001);
    expect(hooks.recovered?.()).toContain("missing at the venue");
    expect(hooks.ended?.(goodEnd)).toContain("never ended");
  });

  it("nothing-in-doubt leaves an order that has just ended a second for its event", () => {
    const { hooks, place, exchange, oracle, world } = watch("nothing-in-doubt");
    const id = place("BUY", "100", "1");
    oracle.orders.set(id, "live");
    hooks.tick?.();
    world.nowMs = 6_000;
    exchange.execute(other, marketOrder("SELL", "1"), unixMs(NOW + 6_000));
    expect(hooks.recovered?.()).toBeUndefined();
    world.nowMs = 7_000;
    expect(hooks.recovered?.()).toBeUndefined();
    world.nowMs = 7_001;
    expect(hooks.recovered?.()).toContain("FILLED at the venue");
  });

  it("same-money", () => {
    const { hooks, place, exchange, entry, oracle } = watch("same-money");
    const id = place("BUY", "100", "1");
    exchange.execute(other, marketOrder("SELL", "1"), NOW);
    expect(hooks.ended?.(goodEnd)).toBe("0 fills, 1 at the venue");
    const [trade] = exchange.userTrades(owner, { fromMs: 0, toMs: NOW, limit: 9 });
    if (trade === undefined) throw new Error("a trade");
    const notes: Note[] = [];
    const told = (fill: Fill) => {
      notes.push(noteOf(fill));
      return entry({ notes: [noteOf(fill)] });
    };
    expect(told(trade)).toBeUndefined();
    expect(hooks.ended?.(endAfter(notes))).toBeUndefined();
    const { base } = oracle.money.all.position;
    const endAt = (position: string) =>
      hooks.ended?.(endAfter(notes, { position: { base: position } as PositionFigures }));
    expect(endAt(fixedText(base))).toBeUndefined();
    expect(endAt("0")).toContain("the position over all runs is 0");
    expect(entry({ notes: [noteOf({ ...trade, orderId: id })] })).toContain("reported twice");
    expect(told({ ...trade, tradeId: "made up" })).toBeUndefined();
    expect(hooks.ended?.(endAfter(notes))).toBe("2 fills, 1 at the venue");
  });

  it("same-book", () => {
    const { hooks, place, exchange, entry, oracle } = watch("same-book");
    place("BUY", "100", "1");
    const { lastId } = exchange.book(testMarket().marketId, 1);
    expect(entry({ effects: [placement(100, "1")] })).toBe("placed without a book");
    expect(hooks.recovered?.()).toBe("the book is not in sync");
    expect(entry({ inputs: [opened, snapshot(lastId, 100)] })).toBeUndefined();
    expect(oracle.reached.get("book compared")).toBe(1);
    expect(entry({ inputs: [opened, snapshot(lastId, 99)] })).toBe(`BUY differs at id ${lastId}`);
  });

  it("one-nonce-one-command", () => {
    const { hooks, entry, oracle, world } = watch("one-nonce-one-command");
    world.appended = "0x01 0x02 0x03 0x04";
    expect(hooks.request?.(sent(7, "0x01"))).toBeUndefined();
    expect(hooks.request?.(sent(7, "0x01"))).toContain("leaves twice");
    expect(hooks.request?.(sent(7, "0x02"))).toContain("two commands");
    const cancel = sent(8, "0x04", cancelOf(testHash(1)));
    expect(hooks.request?.(cancel)).toBeUndefined();
    expect(hooks.request?.(cancel)).toBeUndefined();
    // Also over runs, unless the venue's clock went back.
    oracle.hasJournalGap = true;
    hooks.runStarts?.();
    expect(hooks.request?.(sent(7, "0x02"))).toContain("two commands");
    oracle.hasVenueClockGoneBack = true;
    hooks.runStarts?.();
    expect(hooks.request?.(sent(7, "0x02"))).toBeUndefined();
    expect(hooks.request?.(sent(7, "0x03"))).toContain("two commands");
    expect(entry({ effects: [placement(100.001, "1")] })).toContain("illegal price");
    expect(entry({ effects: [placement(100, "0.0001")] })).toContain("too small");
  });

  it("nonces-rise", () => {
    const { hooks, entry, oracle, world } = watch("nonces-rise");
    const order = (nonce: number) => hooks.request?.(sent(nonce, `0x${nonce}`));
    const restart = (nonceHighWater: number): void => {
      hooks.runStarts?.();
      entry({
        inputs: [{ type: "restored", restored: { orders: [], nonceHighWater, carried: [] } }],
      });
    };
    world.appended = [NOW, NOW - 1, NOW - 2, NOW - 3].map((nonce) => `0x${nonce}`).join(" ");
    restart(0);
    expect(order(NOW)).toBeUndefined();
    expect(order(NOW - 1)).toBeUndefined();
    // Without a record.
    expect(hooks.request?.(sent(NOW + 9, "0x9", cancelOf(testHash(1))))).toBeUndefined();
    restart(NOW + 2_000);
    const cancel = sent(NOW - 1, `0x${NOW - 1}`, cancelOf(testHash(1)));
    expect(hooks.request?.(cancel)).toBeUndefined();
    expect(order(NOW - 2)).toContain(`not above ${NOW} of an earlier run`);
    oracle.hasClockJumped = true;
    expect(order(NOW - 2)).toContain("not above");
    oracle.hasJournalGap = true;
    expect(order(NOW - 2)).toBeUndefined();
    oracle.hasJournalGap = false;
    // The highest nonce is too far ahead of the venue's clock.
    world.nowMs = -18_000;
    expect(order(NOW - 3)).toContain("not above");
    world.nowMs = -18_001;
    expect(order(NOW - 3)).toBeUndefined();
  });

  it.each([
    { aheadMs: 60_000, verdict: "not above" },
    // The venue takes neither that one nor any above it.
    { aheadMs: 60_001, verdict: undefined },
  ])(
    "nonces-rise, after a lost cancel whose nonce is $aheadMs ms ahead",
    ({ aheadMs, verdict }) => {
      const { hooks, entry, world } = watch("nonces-rise");
      const ahead = NOW + aheadMs;
      world.appended = `0x${ahead} 0x${NOW}`;
      hooks.request?.(sent(ahead, `0x${ahead}`, cancelOf(testHash(1))));
      hooks.runStarts?.();
      const restored = { orders: [], nonceHighWater: NOW - 1, carried: [] };
      entry({ inputs: [{ type: "restored", restored }] });
      const judged = hooks.request?.(sent(NOW, `0x${NOW}`));
      if (verdict === undefined) expect(judged).toBeUndefined();
      else expect(judged).toContain(verdict);
    },
  );

  it("no-rejections", () => {
    const { hooks, entry, oracle, world } = watch("no-rejections");
    const rejected = (at: number): Note => {
      const order = aSnapshot({ orderId: testHash(at), state: "ended", status: "REJECTED" });
      return { type: "order", strategy: "", order, before: undefined };
    };
    for (const at of [1, 2, 3, 4, 5]) hooks.request?.(sent(at, "0x"));
    entry({ notes: [rejected(1), rejected(2), rejected(3)] });
    // A run after a power cut reports what the journal lost again.
    entry({ notes: [rejected(2), rejected(3)] });
    expect(hooks.faultsEnded?.()).toBeUndefined();
    entry({ notes: [rejected(4)] });
    expect(hooks.faultsEnded?.()).toContain("4 of 0");
    oracle.reach("order rejected late");
    expect(hooks.faultsEnded?.()).toBeUndefined();
    world.nowMs = 20_000;
    // Sent while faults lasted, and late.
    entry({ notes: [rejected(5)] });
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
    hooks.request?.(sent(6, "0x"));
    entry({ notes: [rejected(6)] });
    expect(hooks.ended?.(goodEnd)).toContain("1 orders were rejected");
  });

  it("no-rejections leaves out an order that was canceled on its way to the venue", () => {
    const { hooks, entry, commands } = watch("no-rejections");
    for (const at of [1, 2, 3, 4]) {
      const order = aSnapshot({ orderId: testHash(at), state: "ended", status: "REJECTED" });
      commands.sent(sent(at, "0x"));
      entry({ notes: [{ type: "order", strategy: "", order, before: undefined }] });
    }
    commands.arrived(testHash(1));
    hooks.request?.(sent(11, "0x", cancelOf(testHash(1))));
    expect(hooks.faultsEnded?.()).toContain("4 of 0");
    hooks.request?.(sent(12, "0x", cancelOf(testHash(2))));
    expect(hooks.faultsEnded?.()).toBeUndefined();
  });

  it("rate-limit", () => {
    const { hooks } = watch("rate-limit");
    const said = Array.from({ length: 60 }, () => hooks.request?.(undefined));
    expect(said[0]).toBeUndefined();
    expect(said.at(-1)).toContain("requests");
  });

  it("rate-limit, over several processes", () => {
    const { hooks } = watch("rate-limit", { rate: { perSecond: 10, burst: 20, concurrency: 8 } });
    const burst = () => Array.from({ length: 30 }, () => hooks.request?.(undefined)).at(-1);
    hooks.processStarts?.(false);
    expect(burst()).toBeUndefined();
    // That process was killed. The next one fails and leaves no full budget; the one after it goes on to a kernel.
    hooks.processStarts?.(false);
    expect(burst()).toBeUndefined();
    hooks.processStarts?.(true);
    expect(burst()).toContain("more than 20 requests");
    hooks.runStarts?.();
    expect(burst()).toContain("more than 20 requests");
  });

  it("no-spinning", () => {
    const { entry, world } = watch("no-spinning");
    for (let step = 1; step < 100; step += 1) expect(entry({})).toBeUndefined();
    expect(entry({})).toContain("100 empty steps");
    world.nowMs = 1_000;
    expect(entry({})).toBeUndefined();
  });

  it("journal-before-wire", () => {
    const { hooks, world } = watch("journal-before-wire");
    world.appended = "…0xabcd…";
    expect(hooks.request?.(sent(1, "0xabcd"))).toBeUndefined();
    expect(hooks.request?.(sent(2, "0xabce"))).toContain("before it was written");
    // Without a journal only cancels may be sent.
    world.hasDiskFailed = true;
    expect(hooks.request?.(sent(3, "0xabcf", cancelOf(testHash(1))))).toBeUndefined();
    expect(hooks.request?.(sent(4, "0xabd0"))).toContain("before it was written");
  });

  it("prompt-orders", () => {
    const { hooks, world } = watch("prompt-orders");
    world.appended = "0xabcd";
    world.appendedMs = 5_000;
    world.nowMs = 6_000;
    expect(hooks.request?.(sent(1, "0xabcd"))).toBeUndefined();
    world.nowMs = 6_500;
    expect(hooks.request?.(sent(1, "0xabcd"))).toContain("sent 1500 ms after its step");
    expect(hooks.request?.(sent(1, "0xabcd", cancelOf(testHash(1))))).toBeUndefined();
  });

  it("clean-end", () => {
    const { hooks, place, oracle, exchange } = watch("clean-end");
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
    expect(hooks.ended?.({ ...goodEnd, ok: false, reason: "late" })).toContain("late");
    const id = place("BUY", "100", "1");
    expect(hooks.ended?.(goodEnd)).toContain("left open");
    oracle.foreign.add(id);
    const { summary } = goodEnd;
    const end = { ...goodEnd, summary: { ...summary, foreignOrders: 1 } };
    expect(hooks.stopped?.(goodEnd)).toContain("0 foreign orders, there are 1");
    expect(hooks.stopped?.(end)).toBeUndefined();
    exchange.execute(owner, { type: "cancel", orderId: id }, NOW);
    expect(hooks.stopped?.(end)).toContain("1 foreign orders, there are 0");
    expect(hooks.ended?.(goodEnd)).toContain("CANCELED");
    oracle.givenUp.add(id);
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
  });

  it("clean-end lets a foreign order be executed during and after the stop", () => {
    const { hooks, place, oracle, exchange, world } = watch("clean-end");
    oracle.foreign.add(place("BUY", "100", "1"));
    hooks.tick?.();
    world.isStopping = true;
    exchange.execute(other, limit("SELL", "100", "1"), NOW);
    hooks.tick?.();
    const end = { ...goodEnd, summary: { ...goodEnd.summary, foreignOrders: 1 } };
    expect(hooks.stopped?.(end)).toBeUndefined();
    expect(hooks.stopped?.(goodEnd)).toBeUndefined();
    expect(hooks.ended?.(end)).toBeUndefined();
    const most = { ...goodEnd, summary: { ...goodEnd.summary, foreignOrders: 2 } };
    expect(hooks.stopped?.(most)).toContain("2 foreign orders, there are 0");
  });

  it("same-legs", () => {
    const { hooks, exchange, oracle, world, entry } = watch("same-legs");
    const tpsl = { tpLimit: fixed("110"), slTrigger: fixed("90"), slLimit: undefined };
    const response = exchange.execute(owner, { ...limit("BUY", "100", "1"), tpsl }, NOW);
    if (response.type === "refused") throw new Error(response.message);
    const { takeProfit, stopLoss } = legIdsOf(response.txHash);
    // A leg waiting at the venue that the bot does not know is a violation after a while.
    for (const id of [takeProfit, stopLoss]) oracle.legs.add(id);
    oracle.orders.set(takeProfit, "live");
    oracle.orders.set(stopLoss, "ended");
    hooks.tick?.();
    expect(hooks.recovered?.()).toBeUndefined();
    world.nowMs = 6_000;
    expect(hooks.recovered?.()).toContain("PENDING_NEW at the venue, ended in the bot");
    oracle.orders.set(stopLoss, "live");
    hooks.tick?.();
    expect(hooks.recovered?.()).toBeUndefined();
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
    // The leg is over at the venue, but still live in the bot.
    exchange.execute(owner, { type: "cancel", orderId: takeProfit }, NOW);
    expect(hooks.ended?.(goodEnd)).toContain("CANCELED at the venue, live in the bot");
    oracle.orders.set(takeProfit, "ended");
    oracle.orders.set(stopLoss, "ended");
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
    // A booked fill of a leg that the venue does not have.
    const fill = { tradeId: "1", orderId: takeProfit, quantity: fixed("1"), fee: fixed("0") };
    const told = { ...fill, marketId: testMarket().marketId, side: "SELL", price: fixed("110") };
    const { quoteToken: feeToken } = testMarket();
    const whole = { ...told, feeToken, isMaker: true, timeMs: NOW } as Fill;
    entry({ notes: [noteOf(whole)] });
    expect(hooks.ended?.(goodEnd)).toContain("executed 0, booked are 1");
  });

  it("a run ended by its disk reports the orders it leaves open", () => {
    const { hooks, place } = watch("clean-end");
    expect(hooks.diskEnded?.(goodEnd)).toContain("ended as ok");
    const end = { ...goodEnd, ok: false };
    expect(hooks.diskEnded?.(end)).toBeUndefined();
    const id = place("BUY", "100", "1");
    expect(hooks.diskEnded?.(end)).toContain("left open");
    expect(hooks.diskEnded?.({ ...end, inQuestion: [id] })).toBeUndefined();
  });

  it("a run that the operator ends leaves no order open until the next one starts, or fails and reports it", () => {
    const clean = watch("clean-end");
    const id = clean.place("BUY", "100", "1");
    const failed = { ...goodEnd, ok: false };
    expect(clean.hooks.operatorEnded?.(failed)).toContain("left open");
    expect(clean.hooks.operatorEnded?.({ ...failed, inQuestion: [id] })).toBeUndefined();
    const { hooks, place } = watch("final-end");
    expect(hooks.operatorEnded?.(goodEnd)).toBeUndefined();
    place("BUY", "100", "1");
    expect(hooks.tick?.()).toContain("NEW");
    expect(hooks.operatorEnded?.(goodEnd)).toContain("NEW");
    hooks.runStarts?.();
    expect(hooks.tick?.()).toBeUndefined();
    hooks.operatorEnded?.(failed);
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("re-runs", () => {
    const { hooks, world } = watch("re-runs");
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
    world.verdict = "batch 7: effects: another one";
    expect(hooks.ended?.(goodEnd)).toContain("batch 7");
  });

  it("exposure counts what the venue may still take, until it has it, or its nonce has expired", () => {
    const { hooks, place, commands, world } = watch("exposure");
    const command = sent(NOW, "0x", plain("SELL", "100", "0.9"));
    place("SELL", "200", "0.2");
    const breaks = (): boolean => hooks.tick?.() !== undefined;
    commands.sent(command);
    commands.sent(command);
    commands.notSent(command.hash);
    expect(breaks()).toBe(true);
    world.nowMs = 60_000;
    expect(breaks()).toBe(true);
    world.nowMs = 60_001;
    expect(breaks()).toBe(false);
    world.nowMs = 0;
    commands.sent(command);
    commands.arrived(command.hash);
    expect(breaks()).toBe(false);
    commands.sent(command);
    commands.notSent(command.hash);
    expect(breaks()).toBe(false);
  });

  it("exposure counts of a modify under way what it adds to its original", () => {
    const { hooks, place, commands, exchange } = watch("exposure");
    const orderId = place("BUY", "100", "0.6");
    const modify = { type: "modify", orderId, price: fixed("101"), quantity: fixed("1") } as const;
    commands.sent(sent(NOW, "0x", modify));
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "99", "0.1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.1/);
    exchange.execute(owner, cancelOf(orderId), NOW);
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("exposure does not take the bot's word for a refusal", () => {
    const { hooks, place, entry } = watch("exposure");
    const taken = place("BUY", "100", "1");
    const refusal = { reason: "rateLimited", message: "", retryAfterMs: undefined } as const;
    entry({
      inputs: [
        { type: "signed", intent: 1, txHash: taken },
        { type: "response", intent: 1, outcome: { type: "refused", ...refusal } },
      ],
    });
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "99", "1");
    expect(hooks.tick?.()).toMatch(/^BUY 2, limit 1.001/);
  });

  it("exposure lets a copy of a refused order add its own quantity and no more", () => {
    const { hooks, place, commands } = watch("exposure");
    const underWay = sent(NOW, "0x", plain("BUY", "98", "0.5"));
    commands.sent(underWay);
    place("BUY", "99", "1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.5, limit 1.001/);
    commands.refused.add(underWay.hash);
    expect(hooks.tick?.()).toBeUndefined();
    const copy = place("BUY", "100", "0.5");
    expect(hooks.tick?.()).toMatch(/^BUY 1.5, limit 1.001/);
    commands.refused.add(copy);
    expect(hooks.tick?.()).toBeUndefined();
    place("SELL", "200", "1.1");
    expect(hooks.tick?.()).toMatch(/^SELL 1.1, limit 1.001/);
    place("BUY", "99", "0.1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.6, limit 1.501/);
  });

  it("exposure lets an order that the disk lost add its own quantity and no more", () => {
    const given = watch("exposure");
    const { hooks, place } = given;
    const lost = place("BUY", "100", "0.5");
    place("BUY", "99", "1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.5, limit 1.001/);
    given.lose(lost);
    expect(hooks.tick?.()).toBeUndefined();
    const sold = place("SELL", "200", "1.1");
    expect(hooks.tick?.()).toMatch(/^SELL 1.1, limit 1.001/);
    given.exchange.execute(owner, cancelOf(sold), NOW);
    place("BUY", "99", "0.1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.6, limit 1.501/);
    // The next runs do not learn what it traded.
    given.world.lostByJournal = [];
    given.startRun();
    expect(hooks.tick?.()).toMatch(/^BUY 1.6, limit 1.501/);
  });

  it("exposure lets a lost order that has ended add what it traded", () => {
    const given = watch("exposure");
    const { hooks, place, exchange } = given;
    const lost = place("BUY", "100", "0.5");
    given.lose(lost);
    exchange.execute(other, marketOrder("SELL", "0.2"), NOW);
    place("BUY", "99", "1");
    expect(hooks.tick?.()).toBeUndefined();
    exchange.execute(owner, cancelOf(lost), NOW);
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "99", "0.1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.29996, limit 1.201/);
  });

  it("exposure counts no lost order that has not reached the venue", () => {
    const given = watch("exposure");
    const { hooks, place, commands } = given;
    const lost = sent(NOW, "0x", plain("BUY", "98", "0.5"));
    commands.sent(lost);
    place("BUY", "99", "1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.5, limit 1.001/);
    given.lose(lost.hash);
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "99", "0.1");
    expect(hooks.tick?.()).toMatch(/^BUY 1.1, limit 1.001/);
  });

  it("one-target-one-order: what may still land counts when a quote is sent", () => {
    const { hooks, commands, place, world } = watch("one-target-one-order");
    const send = (transaction: SeenTransaction): string | undefined => {
      commands.sent(transaction);
      hooks.request?.(transaction);
      world.nowMs += 101;
      return hooks.tick?.();
    };
    expect(send(sent(NOW, "0x01"))).toBeUndefined();
    expect(send(sent(NOW + 1, "0x02", plain("SELL", "200", "1")))).toBeUndefined();
    expect(send(sent(NOW + 2, "0x03"))).toContain("may be open: 2, the strategy wants 1");
    expect(send(sent(NOW + 3, "0x04", cancelOf(testHash(NOW))))).toBeUndefined();
    expect(send(sent(NOW + 2, "0x03"))).toBeUndefined();
    // An order without an answer for a second is in doubt, and blocks nothing.
    world.nowMs += 2_500;
    expect(send(sent(NOW + 4, "0x05"))).toBeUndefined();
    // A cancel that the venue has not read is sent again within seconds.
    const open = place("BUY", "100", "1");
    commands.sent(sent(NOW + 5, "0x06", cancelOf(open)));
    world.nowMs += 2_501;
    expect(send(sent(NOW + 6, "0x07"))).toContain("may be open: 2, the strategy wants 1");
  });

  it("on-target: an order may be off every wanted price for five seconds", () => {
    const { hooks, place, world } = watch("on-target");
    const wants = (price: number, tolerance = 0): void => {
      world.wanted = [wantedAt("BUY", price, tolerance)];
    };
    world.nowMs = 40_000;
    wants(99);
    place("BUY", "100", "1");
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 5_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("has been off every wanted price and size for 5001 ms");
    wants(99, 1);
    expect(hooks.tick?.()).toBeUndefined();
    wants(99);
    hooks.tick?.();
    // Faults of the network leave five seconds.
    world.nowMs += 10_000;
    const storm = { name: "requests-lost", isOfNetwork: true, fromMs: 0, toMs: world.nowMs };
    world.episodes = [storm];
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 5_000;
    expect(hooks.tick?.()).toContain("has been off every wanted price");
  });

  it("on-target: a bid that crosses the best ask is wanted below it", () => {
    const { hooks, place, exchange, world } = watch("on-target");
    world.nowMs = 40_000;
    exchange.execute(other, limit("SELL", "101", "1"), NOW);
    world.wanted = [wantedAt("BUY", 105)];
    place("BUY", "100.99", "1");
    place("BUY", "99", "1");
    hooks.tick?.();
    world.nowMs += 5_001;
    expect(hooks.tick?.()).toContain("BUY at 99)");
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("count: a surplus quote may rest for 2.5 seconds, also during faults", () => {
    const { hooks, place, world } = watch("count");
    world.episodes = [{ name: "kill", isOfNetwork: false, fromMs: 0, toMs: undefined }];
    world.wanted = [wantedAt("BUY", 100)];
    place("BUY", "100", "1");
    hooks.tick?.();
    world.nowMs = 10_000;
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "99", "1");
    hooks.tick?.();
    world.nowMs += 2_500;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("2 quotes of BUY (2) have been open for 2501 ms");
    world.isAlive = false;
    world.nowMs += 9_000;
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("a partly filled quote and a second one for the rest are one quote, never larger than wanted", () => {
    const given = watch("count");
    const others = [watch("one-target-one-order"), watch("on-target")];
    const all = [given, ...others];
    const problems = (): unknown[] => {
      for (const { hooks, world } of all) {
        hooks.tick?.();
        world.nowMs += 5_001;
      }
      return all.map(({ hooks }) => hooks.tick?.());
    };
    const nothing = [undefined, undefined, undefined];
    for (const { place, exchange, world, hooks } of all) {
      world.nowMs = 40_000;
      world.wanted = [wantedAt("BUY", 100)];
      place("BUY", "100", "1");
      exchange.execute(other, marketOrder("SELL", "0.6"), NOW);
      place("BUY", "100", "0.6");
      hooks.request?.(sent(NOW, "0x01"));
    }
    expect(problems()).toEqual(nothing);
    for (const { place, exchange } of all) {
      exchange.execute(other, marketOrder("SELL", "0.4"), NOW);
      exchange.execute(other, marketOrder("SELL", "0.1"), NOW);
      place("BUY", "100", "0.6");
    }
    expect(problems()).toMatchObject([
      expect.stringContaining("2 quotes of BUY (1.1)"),
      undefined,
      expect.stringContaining("has been off"),
    ]);
  });

  it("both-sides: a wanted side may be absent for five seconds", () => {
    const { hooks, place, exchange, world } = watch("both-sides");
    world.nowMs = 40_000;
    world.wanted = [wantedAt("BUY", 100)];
    const quote = place("BUY", "100", "1");
    hooks.tick?.();
    exchange.execute(owner, cancelOf(quote), NOW);
    hooks.tick?.();
    world.nowMs += 5_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("only 0 of 1 quotes of BUY rest, for 5001 ms");
    world.nowMs += 5_001;
    world.episodes = [{ name: "channel-dies", isOfNetwork: true, fromMs: 0, toMs: undefined }];
    expect(hooks.tick?.()).toContain("only 0 of 1 quotes of BUY rest, for 5001 ms");
    world.nowMs += 5_001;
    world.episodes = [{ name: "refused", isOfNetwork: true, fromMs: 0, toMs: undefined }];
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("both-sides: where a channel stays dead after a trouble of the network, a connection more may be needed", () => {
    const absent = (channelMs: number): (string | undefined)[] => {
      const { hooks, world } = watch("both-sides");
      world.nowMs = 40_000;
      world.wanted = [wantedAt("BUY", 100)];
      world.episodes = [
        { name: "refused", isOfNetwork: true, fromMs: 0, toMs: 40_000 },
        { name: "channel-dies", isOfNetwork: true, fromMs: 0, toMs: channelMs },
      ];
      hooks.tick?.();
      return [45_001, 49_999, 50_001].map((nowMs) => {
        world.nowMs = nowMs;
        return hooks.tick?.();
      });
    };
    const problem = expect.stringContaining("only 0 of 1 quotes of BUY rest");
    expect(absent(40_000)).toEqual([undefined, undefined, problem]);
    expect(absent(39_999)).toEqual([problem, undefined, undefined]);
  });

  it("both-sides: a quote that was filled as soon as it came has stood", () => {
    const { hooks, exchange, world } = watch("both-sides");
    world.nowMs = 40_000;
    world.wanted = [wantedAt("BUY", 100, 0, "0.5")];
    hooks.tick?.();
    exchange.execute(other, limit("SELL", "100", "0.5"), NOW);
    world.nowMs += 3_000;
    exchange.execute(owner, limit("BUY", "100", "0.5"), NOW);
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 5_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("only 0 of 1 quotes of BUY rest, for 5001 ms");
  });

  it.each([
    ["the operator has paused the bot", { pausedSinceMs: 0 }],
    ["a 429 tells the bot to wait", { limitedUntilMs: 50_000 }],
    ["the bot stops", { isStopping: true }],
    ["the position limit forbids it", { wanted: [wantedAt("BUY", 100, 0, "2")] }],
    ["the account lacks the funds", { wanted: [wantedAt("BUY", 10_000_000)] }],
    ["none is wanted", { wanted: [] }],
  ])("both-sides: no side has to stand when %s", (_, change) => {
    const { hooks, world } = watch("both-sides");
    world.nowMs = 40_000;
    Object.assign(world, { wanted: [wantedAt("BUY", 100)], ...change });
    hooks.tick?.();
    world.nowMs += 9_000;
    expect(hooks.tick?.()).toBeUndefined();
  });

  it("taker-fills", () => {
    const taken = (bookAsk: number, venueAsk: string): string | undefined => {
      const { hooks, exchange, entry } = watch("taker-fills");
      const { lastId } = exchange.book(testMarket().marketId, 1);
      const fed = snapshot(lastId, 90);
      if (fed.type !== "book") throw new Error("a book");
      const asks = Float64Array.of(bookAsk, 1);
      entry({ inputs: [opened, { ...fed, snapshot: { ...fed.snapshot, asks } }] });
      const ask = limit("SELL", venueAsk, "1");
      exchange.execute(other, ask, NOW);
      const bid = plain("BUY", "100", "1");
      const transaction = sent(1, "0x", bid);
      hooks.request?.(transaction);
      entry({ effects: [placement(100, "1")] });
      if (venueAsk !== "100") exchange.execute(other, limit("SELL", "100", "1"), NOW);
      exchange.execute(owner, bid, NOW, { txHash: transaction.hash });
      return hooks.ended?.(goodEnd);
    };
    expect(taken(100, "100")).toContain("took liquidity");
    expect(taken(101, "100")).toBeUndefined();
    expect(taken(100, "101")).toBeUndefined();
  });

  it("takes", () => {
    const taken = (names: readonly string[], size: string): string | undefined => {
      const { hooks, exchange, entry } = watch("takes");
      exchange.execute(other, limit("SELL", "100", "5"), NOW);
      names.forEach((name, at) => {
        const take = { name, worst: 100 };
        const intent = at + 1;
        const txHash = testHash(intent);
        const placed = placement(100, size);
        if (placed.type === "place") entry({ effects: [{ ...placed, intent, take }] });
        entry({ inputs: [{ type: "signed", intent, txHash }] });
        exchange.execute(owner, limit("BUY", "100", "1"), NOW, { txHash });
      });
      return hooks.ended?.(goodEnd);
    };
    expect(taken(["one", "two"], "1")).toBeUndefined();
    expect(taken(["one", "one"], "1")).toContain("2 orders");
    expect(taken(["one"], "0.5")).toContain("traded 1 of 0.5");
    expect(taken(["workTo", "workTo"], "1")).toBeUndefined();
    expect(taken(["workTo"], "0.5")).toContain("traded 1 of 0.5");
  });

  it("takes lets two clips of workTo lead no further than to the position", () => {
    const { oracle, world, entry } = watch("takes");
    world.wanted = [
      {
        strategy: "",
        quotes: [],
        tolerance: 0,
        sizeTolerance: 0,
        touch: { BUY: 99, SELL: 100 },
        workTo: fixed("1.5"),
      },
    ];
    const clip = (intent: number): string | undefined => {
      const placed = placement(100, "1");
      const take = { name: "workTo", worst: 100 };
      if (placed.type === "place") entry({ effects: [{ ...placed, intent, take }] });
      return entry({ inputs: [{ type: "signed", intent, txHash: testHash(intent) }] });
    };
    expect(clip(1)).toBeUndefined();
    expect(clip(2)).toContain("leads to 2, beyond 1.5");
    oracle.orders.set(testHash(1), "ended");
    oracle.orders.set(testHash(2), "ended");
    expect(clip(3)).toBeUndefined();
  });

  it("fresh-book", () => {
    const { hooks, place, exchange, entry, world, oracle, commands } = watch("fresh-book");
    const id = place("BUY", "100", "1");
    const { lastId } = exchange.book(testMarket().marketId, 1);
    hooks.tick?.();
    expect(entry({ inputs: [opened, snapshot(lastId, 100)] })).toBeUndefined();
    world.nowMs = 20_000;
    const placed = () => entry({ effects: [placement(100, "1")] });
    expect(placed()).toBeUndefined();
    place("BUY", "99", "1");
    hooks.tick?.();
    world.nowMs += 15_000;
    expect(placed()).toBeUndefined();
    world.nowMs += 1;
    expect(placed()).toContain("behind for 15001 ms");
    expect(entry({ effects: [placement(100, "1")], sendDelayMs: 1 })).toBeUndefined();
    expect(entry({})).toBeUndefined();
    world.nowMs += 6_999;
    expect(hooks.tick?.()).toBeUndefined();
    oracle.orders.set(id, "live");
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain(`${id} rests although`);
    // A process that starts has no book, whatever the one before it had.
    world.isAlive = false;
    expect(hooks.tick?.()).toBeUndefined();
    world.startingSinceMs = world.nowMs - 22_001;
    expect(hooks.tick?.()).toContain(`${id} rests although`);
    // It cancels in rounds, which the network may lose.
    commands.sent(sent(2, "0x", cancelOf(id)));
    world.nowMs += 5_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain(`${id} rests although`);
    world.isAlive = true;
    // No cancel leaves while no connection can be made.
    world.unreachableMs = world.nowMs - 6_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.unreachableMs -= 1;
    expect(hooks.tick?.()).toContain(`${id} rests although`);
    commands.sent(sent(1, "0x", cancelOf(id)));
    expect(hooks.tick?.()).toBeUndefined();
    expect(entry({ inputs: [snapshot(lastId + 1, 100)] })).toBeUndefined();
    expect(placed()).toBeUndefined();
  });

  it("fresh-book judges a step of a call that never returned by the book of when it began", () => {
    const { hooks, place, exchange, entry, world } = watch("fresh-book");
    const { lastId } = exchange.book(testMarket().marketId, 1);
    expect(entry({ inputs: [opened, snapshot(lastId, 100)] })).toBeUndefined();
    place("BUY", "99", "1");
    hooks.tick?.();
    // The process is killed 8 s after the call began, and only then do observers learn of its step.
    const killed = (begunMs: number) => {
      world.blockedSinceMs = begunMs;
      world.nowMs = begunMs + 8_000;
      return entry({ effects: [placement(100, "1")] });
    };
    expect(killed(7_500)).toBeUndefined();
    expect(killed(15_000)).toBeUndefined();
    expect(killed(15_001)).toContain("behind for 15001 ms");
    world.blockedSinceMs = undefined;
    expect(entry({ effects: [placement(100, "1")] })).toContain("behind for 23001 ms");
  });

  it("fresh-book leaves to a bot that runs what a power cut took from the journal", () => {
    const { hooks, place, world, oracle } = watch("fresh-book");
    const [lost, kept] = [place("BUY", "100", "1"), place("BUY", "99", "1")];
    oracle.orders.set(lost, "live");
    world.lostByJournal = [lost];
    world.isAlive = false;
    world.startingSinceMs = 0;
    world.nowMs = 22_001;
    expect(hooks.tick?.()).toBeUndefined();
    oracle.orders.set(kept, "live");
    expect(hooks.tick?.()).toContain(`${kept} rests although`);
    oracle.orders.set(kept, "ended");
    // Adopted by the kernel.
    world.isAlive = true;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 22_001;
    expect(hooks.tick?.()).toContain(`${lost} rests although`);
  });

  it("silent-book", () => {
    const { hooks, entry, world } = watch("silent-book");
    const after = (ms: number): string | undefined => {
      world.nowMs += ms;
      return hooks.tick?.();
    };
    world.episodes = [{ name: "market-dies", isOfNetwork: true, fromMs: 0, toMs: undefined }];
    world.nowMs = 60_000;
    entry({ inputs: [snapshot(1, 100)] });
    expect(after(8_000)).toBeUndefined();
    entry({ inputs: [snapshot(2, 100)] });
    expect(after(8_000)).toBeUndefined();
    expect(after(1)).toBe("nothing has shown the book for 8001 ms");
    // Where requests are lost, too, nobody can read it.
    const lost = { name: "requests-lost", isOfNetwork: true, fromMs: 0, toMs: undefined };
    world.episodes = [...world.episodes, lost];
    expect(after(60_000)).toBeUndefined();
  });

  it("depth-events: a change of the book shows within fifteen seconds, unless the channel is dead", () => {
    const { hooks, entry, world, place } = watch("depth-events");
    world.nowMs = 60_000;
    const after = (ms: number): string | undefined => {
      world.nowMs += ms;
      return hooks.tick?.();
    };
    const episode = (name: string, toMs?: number) => [{ name, isOfNetwork: true, fromMs: 0, toMs }];
    world.episodes = episode("subscription-lost");
    place("BUY", "100", "1");
    expect(after(0)).toBeUndefined();
    // A book over REST is no event.
    entry({ inputs: [snapshot(9, 100)] });
    expect(after(15_000)).toBeUndefined();
    expect(after(1)).toContain("has not shown a change of the book for 15001 ms");
    entry({ inputs: [depth(1, 9)] });
    expect(after(60_000)).toBeUndefined();
    for (const price of ["101", "102", "103", "104", "105", "106", "107", "108", "109"]) {
      place("BUY", price, "0.001");
    }
    expect(after(0)).toBeUndefined();
    world.episodes = episode("channel-dies");
    expect(after(60_000)).toBeUndefined();
    world.episodes = episode("channel-dies", world.nowMs);
    expect(after(15_000)).toBeUndefined();
    expect(after(1)).toContain("for 15001 ms");
  });

  it("shown-amounts", () => {
    const { hooks, oracle, world, place, exchange, lose } = watch("shown-amounts");
    const { baseToken, quoteToken } = testMarket();
    const base = oracle.balance(baseToken);
    const shown = { atMs: 0, position: fixed("0"), base, quote: oracle.balance(quoteToken) };
    const later = (change: Partial<ShownAmounts>): string | undefined => {
      world.shown = { ...shown, ...change, atMs: world.nowMs };
      hooks.tick?.();
      world.nowMs += 8_001;
      world.shown = { ...world.shown, atMs: world.nowMs };
      return hooks.tick?.();
    };
    expect(later({ base: fixed("1") })).toBeUndefined();
    hooks.faultsEnded?.();
    expect(later({ quote: fixed("2") })).toBeUndefined();
    world.nowMs += 60_000;
    expect(later({})).toBeUndefined();
    expect(later({ base: undefined })).toContain("base balance unknown");
    expect(later({ quote: fixed("1") })).toContain("quote balance 1");
    expect(later({ position: fixed("0.1") })).toContain("position 0.1, it is 0");
    // A power cut hides what it does not reach in no way.
    lose(place("BUY", "100", "0.1"));
    expect(later({ position: fixed("0.1") })).toContain("position 0.1, it is 0");
    exchange.execute(other, marketOrder("SELL", "0.1"), NOW);
    const traded = { base: oracle.balance(baseToken), quote: oracle.balance(quoteToken) };
    expect(later({ ...traded, position: fixed("0.1") })).toBeUndefined();
  });

  it("final-end", () => {
    const { hooks, place, exchange } = watch("final-end");
    hooks.stopped?.({ ...goodEnd, ok: false });
    const id = place("BUY", "100", "1");
    expect(hooks.tick?.()).toBeUndefined();
    expect(hooks.ended?.(goodEnd)).toBeUndefined();
    expect(hooks.stopped?.(goodEnd)).toContain("NEW");
    expect(hooks.tick?.()).toContain("NEW");
    exchange.execute(other, marketOrder("SELL", "1"), NOW);
    expect(exchange.order(id)?.status).toBe("FILLED");
    expect(hooks.tick?.()).toBeUndefined();
    expect(hooks.ended?.(goodEnd)).toMatch(/^at the end 0 fills.*later 1 fills/);
  });

  it("same-money: the summary's inventory is that of the fills", () => {
    const { hooks } = watch("same-money");
    const inventory = { [testMarket().baseToken]: "0.5" };
    const end = { ...goodEnd, summary: { ...summary, inventory } };
    expect(hooks.ended?.(end)).toContain("an inventory of 0.5");
  });

  /** Buys 1 at 100, buys 1 at 90, sells 1.5 at 110 and sells 1 at 80, told as the venue has them. */
  const traded = (more: Parameters<typeof watch>[1] = {}) => {
    const watched = watch("same-money", more);
    const { place, exchange } = watched;
    for (const [side, price, quantity] of [
      ["BUY", "100", "1"],
      ["BUY", "90", "1"],
      ["SELL", "110", "1.5"],
      ["SELL", "80", "1"],
    ] as const) {
      place(side, price, quantity);
      exchange.execute(other, marketOrder(side === "BUY" ? "SELL" : "BUY", quantity), NOW);
    }
    const trades = exchange.userTrades(owner, { fromMs: 0, toMs: NOW, limit: 9 }).toReversed();
    expect(trades).toHaveLength(4);
    return { ...watched, trades };
  };

  it("same-money: the summary's counts, volumes, fees and PnL are those of the fills", () => {
    const { hooks, entry, trades } = traded();
    const notes = trades.map((trade) => noteOf(trade));
    entry({ notes });
    expect(hooks.ended?.(endAfter(notes))).toBeUndefined();
    const told = (more: Partial<Summary>) => hooks.ended?.(endAfter(notes, more));
    const { baseToken } = testMarket();
    expect(told({ fills: 3 })).toBe("the summary has 3 fills instead of 4");
    expect(told({ makerFills: 3 })).toBe("the summary has 3 makerFills instead of 4");
    expect(told({ takerFills: 1 })).toBe("the summary has 1 takerFills instead of 0");
    expect(told({ volumeBase: "4" })).toBe("the summary has volumeBase of 4 instead of 4.5");
    expect(told({ volumeQuote: "1" })).toBe("the summary has volumeQuote of 1 instead of 435");
    expect(told({ fees: { [baseToken]: "9" } })).toContain(`fees in ${baseToken} of 9 instead of`);
    expect(told({ realisedPnl: "0" })).toContain("a realised PnL of 0 instead of");
    expect(told({ unrealisedPnl: "-160" })).toContain("an unrealised PnL of -160 of what cost 4");
  });

  it("same-money: each of several strategies in a market has the PnL of its own fills, in the run and over all runs", () => {
    const { hooks, entry, trades } = traded({ hasSecondStrategy: true });
    const notes = trades.map((trade, at) => noteOf(trade, at < 2 ? "" : "second"));
    entry({ notes });
    const right = endAfter(notes, {}, ["", "second"]);
    expect(hooks.ended?.(right)).toBeUndefined();
    const told = (more: Partial<SummaryFields>) => {
      const strategies = right.summary.strategies?.map((part) =>
        part.name === "second" ? { ...part, ...more } : part,
      );
      return hooks.ended?.({
        ...right,
        summary: { ...right.summary, strategies: strategies ?? [] },
      });
    };
    expect(told({ realisedPnl: "5" })).toContain("the summary of second has a realised PnL of 5");
    const book = new PositionBook();
    for (const trade of trades.slice(2)) book.apply("second", trade);
    const { position } = book.of("second", testMarket().marketId);
    const carried = (realisedPnl: string) => ({
      base: fixedText(position.base),
      averagePrice: position.averagePrice?.toFixed() ?? null,
      realisedPnl,
      unrealisedPnl: null,
      dayPnl: null,
      totalPnl: null,
      fees: {},
    });
    expect(told({ position: carried(position.realisedPnl.toFixed()) })).toBeUndefined();
    expect(told({ position: carried("9") })).toContain(
      "the position of second over all runs has a realised PnL of 9",
    );
  });

  it("same-money: the position over all runs has their average price", () => {
    const { hooks, entry, trades, oracle } = traded();
    const [first, ...later] = trades.map((trade) => noteOf(trade));
    if (first === undefined) throw new Error("a trade");
    entry({ notes: [first] });
    oracle.runStarts();
    entry({ notes: later });
    const book = new PositionBook();
    for (const trade of trades) book.apply("", trade);
    const { position } = book.of("", testMarket().marketId);
    const carried = (averagePrice: string) => ({
      base: fixedText(position.base),
      averagePrice,
      realisedPnl: position.realisedPnl.toFixed(),
      unrealisedPnl: null,
      dayPnl: null,
      totalPnl: null,
      fees: {},
    });
    const right = position.averagePrice?.toFixed() ?? "";
    expect(hooks.ended?.(endAfter(later, { position: carried(right) }))).toBeUndefined();
    expect(hooks.ended?.(endAfter(later, { position: carried("79") }))).toContain(
      "the position over all runs has an average price of 79 instead of",
    );
  });

  it("same-money: each fill is the venue's trade", () => {
    const { hooks, entry, trades } = traded();
    const notes = trades.map((trade, at) =>
      noteOf(at === 0 ? { ...trade, isMaker: false } : trade),
    );
    entry({ notes });
    expect(hooks.ended?.(endAfter(notes))).toContain("is another one at the venue");
  });

  it("same-money: a fill that the disk lost may be reported again once by the next run", () => {
    const { hooks, place, exchange, entry, oracle } = watch("same-money");
    place("BUY", "100", "1");
    exchange.execute(other, marketOrder("SELL", "1"), NOW);
    const [trade] = exchange.userTrades(owner, { fromMs: 0, toMs: NOW, limit: 9 });
    if (trade === undefined) throw new Error("a trade");
    const told = () => entry({ notes: [noteOf(trade)] });
    expect(told()).toBeUndefined();
    oracle.runStarts();
    oracle.hasJournalGap = true;
    expect(told()).toBeUndefined();
    expect(hooks.ended?.(endAfter([noteOf(trade)]))).toBeUndefined();
    expect(told()).toContain("reported twice");
  });

  it("ok-end", () => {
    const end = (prepare: (given: ReturnType<typeof watch>) => void): string | undefined => {
      const given = watch("ok-end");
      given.hooks.runStarts?.();
      prepare(given);
      return given.entry({ effects: [{ type: "finished", ok: true, reason: "" }] });
    };
    expect(end(() => undefined)).toBeUndefined();
    expect(end(({ oracle }) => oracle.orders.set(testHash(1), "live"))).toContain("had not ended");
    const signed: Input = { type: "signed", intent: 1, txHash: testHash(1) };
    expect(end(({ entry }) => entry({ inputs: [signed] }))).toContain("without a last list");
    const listed = (): Effect => ({ type: "openOrders" });
    expect(end(({ entry }) => entry({ inputs: [signed], effects: [listed()] }))).toBeUndefined();
    expect(end(({ place }) => place("BUY", "100", "1"))).toContain("was open");
    const missed = end(({ place, exchange }) => {
      place("BUY", "100", "1");
      exchange.execute(other, marketOrder("SELL", "1"), NOW);
    });
    expect(missed).toBe("the kernel ended as ok without 1 fills");
    /** A power cut took one of two orders, and the bot knows the fill of neither. */
    const cut = (of: (id: string) => boolean) =>
      end(({ place, exchange, lose }) => {
        const ids = [place("BUY", "100", "1"), place("BUY", "99", "1")];
        exchange.execute(other, marketOrder("SELL", "2"), NOW);
        lose(...ids.filter(of));
      });
    expect(cut(() => false)).toBe("the kernel ended as ok without 2 fills");
    let count = 0;
    expect(cut(() => (count += 1) === 1)).toBe("the kernel ended as ok without 1 fills");
    expect(cut(() => true)).toBeUndefined();
  });

  it("same-money judges what a power cut did not take", () => {
    const { hooks, place, exchange, entry, lose, oracle } = watch("same-money");
    const [lost, kept] = [place("BUY", "100", "1"), place("BUY", "99", "1")];
    lose(lost);
    exchange.execute(other, marketOrder("SELL", "2"), NOW);
    expect(hooks.ended?.(goodEnd)).toBe("0 fills, 1 at the venue");
    const trades = exchange.userTrades(owner, { fromMs: 0, toMs: NOW, limit: 9 });
    const tradeOf = (id: OrderId): Fill => {
      const found = trades.find(({ orderId }) => orderId === id);
      if (found === undefined) throw new Error("a trade");
      return found;
    };
    const notes: Note[] = [];
    const tell = (note: Note): void => {
      notes.push(note);
      entry({ notes: [note] });
    };
    const endAt = (base: string) =>
      hooks.ended?.(endAfter(notes, { position: { base } as PositionFigures }));
    tell(noteOf(tradeOf(kept)));
    const { quantity, fee } = tradeOf(kept);
    const base = fixedText(subFixed(quantity, fee));
    expect(endAt("0")).toContain("the position over all runs is 0");
    expect(endAt(base)).toBeUndefined();
    // A later run finds it, and then has to read what it filled. No strategy has that in its position.
    oracle.lost.found(lost);
    expect(endAt(base)).toContain("which the disk lost, was found without its trade");
    tell(noteOf(tradeOf(lost), "(adopted)"));
    expect(endAt("0")).toContain("the position over all runs is 0");
    expect(endAt(base)).toBeUndefined();
  });

  it("same-money: only an order that a power cut took is an adopted one", () => {
    const { hooks, entry, trades } = traded();
    const notes = trades.map((trade, at) => noteOf(trade, at === 0 ? "(adopted)" : ""));
    entry({ notes });
    expect(hooks.ended?.(endAfter(notes))).toContain("the summary has an inventory of");
  });

  it("clean-end and same-legs excuse only orders that a power cut took", () => {
    const clean = watch("clean-end");
    const [lost, kept] = [clean.place("BUY", "100", "1"), clean.place("BUY", "99", "1")];
    clean.lose(lost);
    const failed = { ...goodEnd, ok: false };
    expect(clean.hooks.operatorEnded?.(failed)).toContain(`${kept} is left open`);
    expect(clean.hooks.operatorEnded?.({ ...failed, inQuestion: [kept] })).toBeUndefined();
    clean.oracle.lost.found(lost);
    expect(clean.hooks.operatorEnded?.({ ...failed, inQuestion: [kept] })).toContain(lost);

    const legs = watch("same-legs");
    legs.lose(testHash(9));
    const leg = legs.place("BUY", "100", "1");
    legs.oracle.legs.add(leg);
    expect(legs.hooks.ended?.(goodEnd)).toContain("NEW at the venue");
  });

  it("same-book: a decision reads the book that was delivered, without own orders", () => {
    const { entry, hooks, world, oracle } = watch("same-book");
    const reads = (...levels: [number, number][]): void => {
      const BUY = levels.map(([price, quantity]) => ({ price, quantity }));
      world.booksRead.push({ nowMs: NOW + world.nowMs, BUY, SELL: [] });
    };
    reads([100, 1]);
    expect(entry({ inputs: [opened, snapshot(9, 100)] })).toBeUndefined();
    expect(oracle.reached.get("book read")).toBe(1);
    const wrong = (...levels: [number, number][]): string | undefined => {
      reads(...levels);
      // Another step at the same time may be the one that has read it.
      expect(entry({ inputs: [snapshot(8, 99)] })).toBeUndefined();
      world.nowMs += 1;
      return entry({});
    };
    expect(wrong([100, 1])).toBeUndefined();
    expect(wrong([99, 1])).toContain("not delivered: BUY has 1 at 99 instead of 0");
    expect(wrong([100, 2])).toContain("BUY has 2 at 100 instead of 1");
    expect(wrong([100, 0.5])).toContain("BUY has 0.5 at 100 instead of 1");
    expect(wrong()).toContain("BUY has nothing at 100");
    expect(wrong([100, 1], [100, 1])).toContain("BUY has 100 after 100");
    oracle.ownPrices.restored(testHash(1), "BUY", 100);
    expect(wrong([100, 0.5])).toBeUndefined();
    expect(wrong()).toBeUndefined();
    expect(wrong([100, 2])).toContain("BUY has 2 at 100 instead of 1");
    // A read of a step that observers have not been told of yet.
    world.booksRead.push({ nowMs: NOW + world.nowMs + 5, BUY: [], SELL: [] });
    expect(entry({})).toBeUndefined();
    expect(world.booksRead).toHaveLength(1);
    hooks.runStarts?.();
  });

  it("same-book: a decision reads no more and no less than the book without the orders that the bot knows", () => {
    const { entry, world } = watch("same-book");
    const { marketId } = testMarket();
    expect(entry({ inputs: [opened, snapshot(9, 100)] })).toBeUndefined();
    const wrong = (quantity: number, notes: Note[] = []): string | undefined => {
      const BUY = quantity === 0 ? [] : [{ price: 100, quantity }];
      world.booksRead.push({ nowMs: NOW + world.nowMs, BUY, SELL: [] });
      const found = entry({ notes });
      world.nowMs += 1;
      return found ?? entry({});
    };
    const at = { marketId, price: 100, quantity: fixed("0.4") };
    const inFlight = aSnapshot(at);
    const working = aSnapshot({ ...at, ...standing("NEW") });
    const note = (order: OrderSnapshot, before?: OrderSnapshot): Note => ({
      type: "order",
      strategy: "maker",
      order,
      before,
    });
    // While it is in flight, nobody knows whether it rests.
    expect(wrong(1, [note(inFlight)])).toBeUndefined();
    expect(wrong(0.6)).toBeUndefined();
    expect(wrong(1, [note(working, inFlight)])).toBeUndefined();
    expect(wrong(0.6)).toBeUndefined();
    expect(wrong(1)).toContain("BUY has 1 at 100 instead of 1 less own orders of 0.4");
    expect(wrong(0.2)).toContain("BUY has 0.2 at 100 instead of 1 less own orders of at most 0.4");
    expect(wrong(0)).toContain("BUY has nothing at 100");
    const over = aSnapshot({ ...at, ...standing("CANCELED") });
    expect(wrong(0.6, [note(over, working)])).toBeUndefined();
    expect(wrong(0.6)).toContain("BUY has 0.6 at 100 instead of 1");
    expect(wrong(1)).toBeUndefined();
  });

  it("same-book: of a leg no more may be left out than is left of it, of a stop order that waits nothing", () => {
    const { entry, world } = watch("same-book");
    const at = { marketId: testMarket().marketId, price: 100, quantity: fixed("0.4") };
    const read = (quantity: number, ...orders: OrderSnapshot[]): string | undefined => {
      const notes = orders.map(
        (order): Note => ({ type: "order", strategy: "maker", order, before: undefined }),
      );
      entry({ inputs: [opened, snapshot(9, 100)], notes });
      world.nowMs += 1;
      world.booksRead.push({
        nowMs: NOW + world.nowMs,
        BUY: [{ price: 100, quantity }],
        SELL: [],
      });
      entry({});
      world.nowMs += 1;
      return entry({});
    };
    const leg = aSnapshot({ ...at, ...standing("NEW"), role: "takeProfit" });
    expect(read(1, leg)).toBeUndefined();
    expect(read(0.6)).toBeUndefined();
    expect(read(0.2)).toContain("less own orders of at most 0.4");
    const waiting = { intent: 2, role: "stop", waitsForTrigger: true } as const;
    const stop = aSnapshot({ ...at, ...standing("NEW"), ...waiting });
    expect(read(0.6, stop)).toBeUndefined();
    expect(read(0.2)).toContain("less own orders of at most 0.4");
  });

  it("same-book: a bot may give its book up after very many old events", () => {
    const { marketId } = testMarket();
    const { entry } = watch("same-book");
    const levels = { bids: new Float64Array(), asks: new Float64Array() };
    const event = { marketId, firstId: 9, finalId: 9, timeMs: NOW, ...levels };
    const old = (count: number): Input[] =>
      Array.from({ length: count }, () => ({ type: "depth", event }) as const);
    const syncing: Note = { type: "bookState", marketId, state: "syncing" };
    expect(entry({ inputs: [opened, snapshot(9, 100), ...old(998)] })).toBeUndefined();
    expect(entry({ inputs: old(1), notes: [syncing] })).toContain("gave up a book although");
    // As many as `BookSync` lets pass.
    expect(entry({ inputs: [opened, snapshot(9, 100), ...old(1_024)] })).toBeUndefined();
    expect(entry({ inputs: old(1), notes: [syncing] })).toBeUndefined();
  });

  it("same-book: the bot has a book when one follows from what was delivered, and gives it up for a reason", () => {
    const { marketId } = testMarket();
    const says = (state: "live" | "syncing"): Note => ({ type: "bookState", marketId, state });
    const failed: Note = { type: "bookAudit", marketId, isSame: false };
    const { entry } = watch("same-book");
    expect(entry({ inputs: [opened], notes: [says("syncing")] })).toBeUndefined();
    expect(entry({ notes: [says("live")] })).toContain("none follows");
    const begins = { inputs: [snapshot(9, 100)], notes: [says("live")] };
    expect(entry(begins)).toBeUndefined();
    expect(entry({ notes: [says("syncing")] })).toContain("gave up a book although");
    expect(entry(begins)).toBeUndefined();
    expect(entry({ notes: [says("syncing"), failed] })).toContain("gave up a book although");
    expect(entry(begins)).toBeUndefined();
    const levels = { bids: new Float64Array(), asks: new Float64Array() };
    const event = { marketId, firstId: 11, finalId: 11, timeMs: NOW, ...levels };
    const gap = { inputs: [{ type: "depth", event } as const], notes: [says("syncing")] };
    expect(entry(gap)).toBeUndefined();
  });

  it("same-book: no decision reads a book while none follows from what was delivered", () => {
    const { entry, world } = watch("same-book");
    world.booksRead.push({ nowMs: NOW, BUY: [], SELL: [] });
    expect(entry({ inputs: [opened] })).toBeUndefined();
    world.nowMs += 1;
    expect(entry({})).toContain("not delivered: none is in sync");
  });

  it("same-book: the book is read anew when its depth channel was subscribed to anew", () => {
    const { place, exchange, entry, hooks } = watch("same-book");
    place("BUY", "100", "1");
    const { marketId } = testMarket();
    const { lastId } = exchange.book(marketId, 1);
    // The book of a venue that has lost its data since, and counts its updates anew.
    entry({ inputs: [opened, snapshot(lastId + 9, 99)] });
    const anew = (kind: "depth" | "trade"): Input => ({
      type: "resubscribed",
      channel: { kind, marketId },
    });
    entry({ inputs: [anew("trade")] });
    expect(hooks.recovered?.()).toBeUndefined();
    expect(entry({ inputs: [anew("depth")], effects: [placement(100, "1")] })).toBe(
      "placed without a book",
    );
    expect(entry({ inputs: [snapshot(lastId, 100)] })).toBeUndefined();
    expect(entry({ inputs: [anew("depth"), snapshot(lastId, 99)] })).toBe(
      `BUY differs at id ${lastId}`,
    );
  });

  it("no-orphan: nothing is placed while an order that the disk lost is open and not found", () => {
    const { entry, place, oracle, lose } = watch("no-orphan");
    const id = place("BUY", "100", "1");
    // Observers saw it before the power cut.
    oracle.orders.set(id, "ended");
    const effects = [placement(200, "1")];
    expect(entry({ effects })).toBeUndefined();
    lose(id, testHash(2));
    expect(entry({ effects })).toContain("which the disk lost, was open and not found");
    // The step that finds it may place another.
    const order = aSnapshot({ orderId: id, ...standing("NEW") });
    const found: Note = { type: "order", strategy: ADOPTED, order, before: undefined };
    expect(entry({ effects, notes: [found] })).toBeUndefined();
    expect(entry({ effects })).toBeUndefined();
  });

  it("no-orphan: a power cut hides no order that it did not take", () => {
    const { hooks, place, world, oracle, lose } = watch("no-orphan");
    const [lost, kept] = [place("BUY", "100", "1"), place("BUY", "99", "1")];
    lose(lost);
    oracle.orders.set(kept, "ended");
    hooks.tick?.();
    world.nowMs = 15_001;
    expect(hooks.tick?.()).toContain(`${kept} is open at the venue`);
    oracle.orders.set(kept, "live");
    expect(hooks.tick?.()).toBeUndefined();
    hooks.faultsEnded?.();
    hooks.tick?.();
    world.nowMs += 15_001;
    expect(hooks.tick?.()).toContain(`${lost} is open at the venue`);
  });

  it("no-self-cross", () => {
    const { hooks, place, oracle, lose } = watch("no-self-cross");
    const id = place("BUY", "100", "1");
    const meeting = sent(1, "0x01", plain("SELL", "100", "0.4"));
    expect(hooks.request?.(meeting)).toBeUndefined();
    oracle.orders.set(id, "live");
    expect(hooks.request?.(sent(2, "0x02", plain("SELL", "101", "0.4")))).toBeUndefined();
    expect(hooks.request?.(sent(3, "0x03", plain("BUY", "100", "0.4")))).toBeUndefined();
    expect(hooks.request?.(meeting)).toContain("a SELL at 100 was sent while");
    // A power cut excuses nothing that the bot knows.
    lose(testHash(9));
    expect(hooks.request?.(meeting)).toContain("a SELL at 100 was sent while");
  });

  it("paused-means-canceled", () => {
    const { hooks, entry, place, oracle, world, commands } = watch("paused-means-canceled");
    const id = place("BUY", "100", "1");
    oracle.orders.set(id, "live");
    hooks.runStarts?.();
    const place7 = sent(7, "0x07");
    world.pausedSinceMs = 1;
    world.nowMs = 30_000;
    // Without the venue's clock nothing can be signed.
    expect(hooks.tick?.()).toBeUndefined();
    entry({ inputs: [{ type: "venueTime", offsetMs: 0, roundTripMs: 1 }] });
    world.pausedSinceMs = undefined;
    world.nowMs = 60_000;
    expect(hooks.tick?.()).toBeUndefined();
    expect(hooks.request?.(place7)).toBeUndefined();
    world.pausedSinceMs = 60_000;
    world.nowMs = 70_000;
    expect(hooks.tick?.()).toBeUndefined();
    expect(hooks.request?.(place7)).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("10001 ms after the pause");
    expect(hooks.request?.(place7)).toContain("a place was sent in a pause");
    world.unreachableMs = 60_001;
    expect(hooks.tick?.()).toBeUndefined();
    world.unreachableMs = 60_000;
    expect(hooks.tick?.()).toContain("10001 ms after the pause");
    // The journal had lost the order, and the bot has just found it.
    const order = {
      orderId: id,
      nonce: 1,
      strategy: "(adopted)",
      marketId: oracle.market.marketId,
    };
    const rest = { side: "BUY", price: 100, quantity: "1", executed: "0", tradeIds: [] } as const;
    entry({ effects: [{ type: "adopt", order: { ...order, ...rest } }] });
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 10_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("20002 ms after the pause");
    expect(hooks.request?.(sent(8, "0x08", cancelOf(id)))).toBeUndefined();
    commands.sent(sent(8, "0x08", cancelOf(id)));
    expect(hooks.tick?.()).toBeUndefined();
    // No byte of it left, so it ends nothing unless it is sent again soon.
    commands.notSent(sent(8, "0x08").hash);
    world.nowMs += 2_501;
    expect(hooks.tick?.()).toContain("22503 ms after the pause");
  });

  it("uptime", () => {
    const { hooks, place, world } = watch("uptime");
    const end = (uptimeBid: number, uptimeAsk: number) =>
      hooks.stopped?.({ ...goodEnd, summary: { ...summary, uptimeBid, uptimeAsk } });
    hooks.runStarts?.();
    place("BUY", "100", "1");
    for (world.nowMs = 0; world.nowMs <= 103_000; world.nowMs += 1_000) hooks.tick?.();
    expect(end(1, 0)).toBeUndefined();
    expect(end(1, 0.22)).toBeUndefined();
    expect(end(1, 0.23)).toContain("0.23 of 100000 ms on SELL, an order rested for 0 ms");
    // The time after the signal to stop is not measured.
    world.isStopping = true;
    world.nowMs = 200_000;
    hooks.tick?.();
    expect(end(1, 0.22)).toBeUndefined();
    expect(end(1, 0.23)).toContain("0.23 of 100000 ms on SELL, an order rested for 0 ms");
  });

  it("has a case here or in risk-invariants.test.ts for each invariant", () => {
    expect(invariants.map(({ name }) => name)).toEqual([
      "exposure",
      "no-orphan",
      "nothing-in-doubt",
      "same-money",
      "no-drift",
      "same-book",
      "one-nonce-one-command",
      "nonces-rise",
      "no-rejections",
      "rate-limit",
      "no-spinning",
      "journal-before-wire",
      "prompt-orders",
      "clean-end",
      "same-legs",
      "one-target-one-order",
      "on-target",
      "count",
      "both-sides",
      "true-ends",
      "taker-fills",
      "takes",
      "fresh-book",
      "silent-book",
      "depth-events",
      "fresh-source",
      "source-prices",
      "shown-amounts",
      "told-fills",
      "shown-fills",
      "spreads",
      "cool-down",
      "final-end",
      "ok-end",
      "no-self-cross",
      "paused-means-canceled",
      "uptime",
      "risk-steps",
      "reduce-only",
      "derived-limits",
      "blocked-means-canceled",
      "session-use",
      "re-runs",
    ]);
  });
});
