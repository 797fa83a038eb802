import { describe, expect, test } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { WANTS_NONE } from "../../src/domain/wants-none.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { MeasuredStrategy } from "../../src/metrics/strategy-fold.ts";
import { SummaryFold } from "../../src/metrics/summary-fold.ts";
import type { OrderSnapshot, ShownStatus } from "../../src/orders/order-snapshot.ts";
import { OrderNotes, standing } from "../orders/order-notes.ts";
import { hashOf, market, start } from "../kernel/harness.ts";

const other: Market = {
  ...market,
  marketId: marketId("3", "2"),
  baseToken: tokenId("3"),
  ticker: "BTC/USDT",
};
const end = {
  durationMs: 60_000,
  ordersLeft: [],
  foreignOrders: 0,
  signer: "ethers",
  described: new Map(),
} as const;

/** Feeds a SummaryFold by hand; times are milliseconds after the start. */
class ObservedRun {
  readonly fold: SummaryFold;
  readonly #orders = new OrderNotes();
  #seq = 0;

  constructor(strategies: readonly MeasuredStrategy[] = [{ name: "maker", market }]) {
    this.fold = new SummaryFold({ strategies, startMs: start });
  }

  at(ms: number, notes: Note[] = [], effects: Effect[] = []): void {
    this.#seq += 1;
    const batch = { seq: this.#seq, nowMs: unixMs(start + ms), inputs: [] };
    this.fold.observe({ batch, effects, notes });
  }

  /** A step that waits for the disk. */
  waits(ms: number, sendDelayMs: number): void {
    this.#seq += 1;
    const batch = { seq: this.#seq, nowMs: unixMs(start + ms), inputs: [] };
    this.fold.observe({ batch, effects: [], notes: [], sendDelayMs });
  }

  /** Places an order and reports its signature. */
  place(ms: number, intent: number, side: Side, changes: Partial<OrderSnapshot> = {}): void {
    this.at(ms, [this.#orders.next(intent, { side, orderId: undefined, ...changes })]);
    this.at(ms, [this.#orders.next(intent, { orderId: hashOf(intent) })]);
  }

  changed(
    ms: number,
    intent: number,
    status: ShownStatus,
    changes: Partial<OrderSnapshot> = {},
  ): void {
    this.at(ms, [this.#orders.next(intent, { ...standing(status), ...changes })]);
  }

  cancel(ms: number, intent: number): void {
    const canceling = { state: "canceling", wasCanceled: true, reason: "price" } as const;
    this.at(ms, [this.#orders.next(intent, canceling)]);
  }

  fill(
    ms: number,
    side: Side,
    terms: { readonly price: string; readonly quantity: string; readonly fee: string },
    traded = market,
  ): void {
    const { price, quantity, fee } = terms;
    const strategy = traded === market ? "maker" : "other";
    this.at(ms, [
      {
        type: "fill",
        strategy,
        intent: 1,
        role: "quote",
        paramsVersion: 1,
        position: fixed("0"),
        fill: {
          tradeId: String(this.#seq),
          orderId: hashOf(1),
          marketId: traded.marketId,
          side,
          price: fixed(price),
          quantity: fixed(quantity),
          fee: fixed(fee),
          feeToken: side === "BUY" ? traded.baseToken : traded.quoteToken,
          isMaker: side === "BUY",
          timeMs: unixMs(start + ms),
        },
      },
    ]);
  }
}

describe("an obligation", () => {
  const obligation = { spread: 0.001, size: fixed("2") };
  /** Each track is measured for 20 s from 3 s on. */
  const share = (run: ObservedRun): number | null => {
    run.at(23_000);
    return run.fold.result(end).uptimeObligation;
  };
  const quote = (
    run: ObservedRun,
    ms: number,
    intent: number,
    side: Side,
    price: number,
    size = "2",
  ): void => {
    run.place(ms, intent, side, { price, quantity: fixed(size), remaining: fixed(size) });
    run.changed(ms, intent, "NEW");
  };

  test("is kept while both sides stand in size within the spread, the widest allowed one included", () => {
    const run = new ObservedRun([{ name: "maker", market, obligation }]);
    quote(run, 3_000, 1, "BUY", 1999);
    quote(run, 8_000, 2, "SELL", 2001);
    run.changed(18_000, 1, "PARTIALLY_FILLED", { remaining: fixed("1.9") });
    expect(share(run)).toBe(0.5);
  });

  test("in quote token is kept while the quotes of both sides are worth it at their prices", () => {
    const size = { quote: fixed("3998") };
    const run = new ObservedRun([{ name: "maker", market, obligation: { ...obligation, size } }]);
    quote(run, 3_000, 1, "BUY", 1999);
    quote(run, 3_000, 2, "SELL", 2001);
    run.changed(13_000, 1, "PARTIALLY_FILLED", { remaining: fixed("1.9") });
    expect(share(run)).toBe(0.5);
  });

  test("takes the price at which the size of a side is complete", () => {
    const run = new ObservedRun([{ name: "maker", market, obligation }]);
    quote(run, 3_000, 1, "BUY", 1999.5, "1");
    quote(run, 3_000, 2, "BUY", 1998.5, "1");
    quote(run, 3_000, 3, "SELL", 2000.4, "5");
    quote(run, 13_000, 4, "SELL", 2000.6, "5");
    run.changed(13_000, 3, "CANCELED");
    expect(share(run)).toBe(0.5);
    expect(run.fold.result(end)).toMatchObject({ uptimeBid: 1, uptimeAsk: 1 });
  });

  test("is not kept by orders in another market, by stop orders and by a quote whose cancel is overdue", () => {
    const run = new ObservedRun([{ name: "maker", market, obligation }]);
    quote(run, 3_000, 1, "BUY", 1999.5);
    run.place(3_000, 2, "SELL", { price: 2000.5, marketId: other.marketId });
    run.changed(3_000, 2, "NEW");
    run.place(3_000, 3, "SELL", { price: 2000.5, role: "takeProfit" });
    run.changed(3_000, 3, "NEW");
    run.at(8_000);
    expect(run.fold.result(end)).toMatchObject({ uptimeObligation: 0, uptimeAsk: 0 });
    quote(run, 8_000, 4, "SELL", 2000.5);
    run.cancel(12_000, 4);
    expect(share(run)).toBe(5 / 20);
  });

  test("counts no time without data, as uptime does", () => {
    const run = new ObservedRun([{ name: "maker", market, obligation }]);
    quote(run, 3_000, 1, "BUY", 1999.5);
    quote(run, 3_000, 2, "SELL", 2000.5);
    const { marketId } = market;
    run.at(13_000, [{ type: "bookState", marketId, state: "closed" }]);
    expect(share(run)).toBe(0.5);
  });

  test("of the whole is the worst and the mean over the strategies that have one", () => {
    const run = new ObservedRun([
      { name: "maker", market, obligation },
      { name: "second", market, obligation },
      { name: "free", market },
    ]);
    quote(run, 3_000, 1, "BUY", 1999.5);
    quote(run, 3_000, 2, "SELL", 2000.5);
    expect(share(run)).toBe(0);
    const { meanUptime, strategies = [] } = run.fold.result(end);
    expect(meanUptime).toEqual({ bid: 1 / 3, ask: 1 / 3, obligation: 0.5 });
    expect(strategies.map(({ uptimeObligation }) => uptimeObligation)).toEqual([1, 0, null]);
    expect(run.fold.uptimes.get("second")).toEqual({ bid: 0, ask: 0, obligation: 0 });
  });
});

describe("SummaryFold", () => {
  test("counts no request for a new subscription or connection, an adopted order or a cancel that a guard holds", () => {
    const run = new ObservedRun();
    const standby = { intent: 1, nonce: 1, strategy: "maker", orderId: hashOf(1), orderNonce: 1 };
    const order = { orderId: hashOf(2), nonce: 2, strategy: "maker", marketId: market.marketId };
    const terms = { side: "BUY", price: 1990, quantity: "1", executed: "0", tradeIds: [] } as const;
    run.at(
      0,
      [],
      [
        { type: "resubscribe", channel: { kind: "trade", marketId: market.marketId } },
        { type: "reconnect", reason: "silent" },
        { type: "adopt", order: { ...order, ...terms } },
        { type: "standby", ...standby, isAcknowledged: true },
      ],
    );
    expect(run.fold.result(end)).toMatchObject({ requests: 0 });
  });

  test("counts the requests of a run, and how many there were for each unit of quote filled", () => {
    const run = new ObservedRun();
    run.at(
      0,
      [],
      [
        { type: "cancel", intent: 1, nonce: 1, strategy: "maker", orderId: hashOf(1) },
        { type: "balances" },
        { type: "tokens", count: 3 },
        { type: "finished", ok: true, reason: "" },
      ],
    );
    expect(run.fold.result(end)).toMatchObject({ requests: 5, requestsPerQuoteVolume: null });
    run.fill(10, "BUY", { price: "2000", quantity: "0.005", fee: "0" });
    expect(run.fold.result(end)).toMatchObject({ requests: 5, requestsPerQuoteVolume: 0.5 });
  });

  test("leaves a side in which no quote was ever wanted out of the worst and the mean uptime", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "maker", role: "hedge", market: other },
    ]);
    for (const side of ["BUY", "SELL"] as const) {
      const { marketId } = other;
      const none = { strategy: "maker", marketId, side, reason: WANTS_NONE, inPart: false };
      run.at(0, [{ type: "quoteReason", ...none }]);
    }
    run.place(0, 1, "BUY");
    run.changed(0, 1, "NEW");
    run.at(23_000);
    const { uptimeBid, uptimeAsk, meanUptime, strategies = [] } = run.fold.result(end);
    expect([uptimeBid, uptimeAsk]).toEqual([1, 0]);
    expect(meanUptime).toEqual({ bid: 1, ask: 0, obligation: null });
    expect(strategies[1]).toMatchObject({ uptimeBid: null, uptimeAsk: null });
  });

  test("counts stop orders and legs apart from quotes, uptime and unknown outcomes", () => {
    const run = new ObservedRun();
    const waiting = { side: "SELL", price: 0, stopPrice: 1900, waitsForTrigger: true } as const;
    run.place(0, 1, "SELL", { ...waiting, role: "stop" });
    const leg = { ...waiting, role: "stopLoss", origin: "leg", entry: 2 } as const;
    run.changed(10, 3, "PENDING_NEW", leg);
    expect(run.fold.result(end)).toMatchObject({ unknownOutcomes: 1 });
    run.changed(20, 1, "NEW", { isResting: false });
    run.changed(20, 3, "NEW", { isResting: false });
    run.changed(5_000, 1, "NEW", { waitsForTrigger: false, isTriggered: true });
    run.cancel(6_000, 3);
    expect(run.fold.result(end)).toMatchObject({
      quotesPlaced: 0,
      quotesCanceled: 0,
      stopsPlaced: 1,
      stopsTriggered: 1,
      unknownOutcomes: 0,
      uptimeAsk: 0,
    });
  });

  test("has zeros and nulls for a run without events", () => {
    const summary = new ObservedRun().fold.result({
      ...end,
      ordersLeft: null,
      foreignOrders: null,
      described: new Map(),
    });
    expect(summary).toEqual({
      requests: 0,
      requestsPerQuoteVolume: null,
      denied: [],
      durationMs: 60_000,
      quotesPlaced: 0,
      quotesKept: 0,
      quotesReplaced: 0,
      quotesModified: 0,
      quotesCanceled: 0,
      fills: 0,
      makerFills: 0,
      takerFills: 0,
      ordersRejected: 0,
      takesPlaced: 0,
      stopsPlaced: 0,
      stopsTriggered: 0,
      volumeBase: "0",
      volumeQuote: "0",
      fees: {},
      inventory: { "1": "0", "2": "0" },
      realisedPnl: "0",
      unrealisedPnl: "0",
      uptimeBid: 0,
      uptimeAsk: 0,
      uptimeObligation: null,
      meanUptime: { bid: 0, ask: 0, obligation: null },
      ordersLeft: null,
      unknownOutcomes: 0,
      bookResyncs: 0,
      bookAudits: 0,
      bookAuditMismatches: 0,
      staleMs: 0,
      ownTradeLagP50Ms: null,
      ownTradeLagP99Ms: null,
      ownTradeLagMaxMs: null,
      tickToOrderP50Us: null,
      tickToOrderP99Us: null,
      foreignOrders: null,
      signer: "ethers",
    });
  });

  test("measures uptime from 3 s after the start to the stop signal, for acknowledged orders", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.place(0, 2, "SELL");
    run.changed(1_000, 1, "NEW");
    // The ask's request ends without a response, so it does not count until the venue shows it.
    run.changed(1_000, 2, "UNKNOWN");
    run.changed(8_000, 2, "PARTIALLY_FILLED");
    run.changed(10_500, 1, "CANCELED");
    run.fold.stopSignal(start + 13_000);
    run.changed(14_000, 2, "CANCELED");
    run.at(20_000);
    const { uptimeBid, uptimeAsk } = run.fold.result(end);
    expect(uptimeBid).toBe(0.75);
    expect(uptimeAsk).toBe(0.5);
  });

  test("counts no uptime from a second after a cancel without a response, until the venue shows the order", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.changed(0, 1, "NEW");
    run.cancel(7_000, 1);
    run.changed(13_000, 1, "NEW");
    // A cancel that the venue carries out at once.
    run.cancel(18_000, 1);
    run.changed(18_500, 1, "CANCELED");
    run.at(23_000);
    // 3 to 8 s, and 13 to 18.5 s.
    expect(run.fold.result(end).uptimeBid).toBe(10.5 / 20);
  });

  test("counts no uptime of a side whose quotes are pulled, although their cancels have not worked yet", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.changed(0, 1, "NEW");
    const { marketId } = market;
    const side = { type: "quoteReason", strategy: "maker", marketId, side: "BUY" } as const;
    run.at(8_000, [{ ...side, reason: "the own orders may be older than 10s", inPart: false }]);
    run.at(13_000, [{ ...side, reason: undefined, inPart: false }]);
    run.at(23_000);
    expect(run.fold.result(end).uptimeBid).toBe(0.75);
  });

  test("counts no uptime while a step waits for a disk that hangs", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.changed(0, 1, "NEW");
    run.waits(8_000, 5_000);
    run.at(13_000);
    run.at(23_000);
    expect(run.fold.result(end).uptimeBid).toBe(0.75);
  });

  test("counts the short waits for a disk that works", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.changed(0, 1, "NEW");
    run.waits(8_000, 20);
    run.at(23_000);
    expect(run.fold.result(end).uptimeBid).toBe(1);
  });

  test("counts a side as up until its last order has ended, and ignores time that goes back", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.place(0, 2, "BUY");
    run.changed(0, 1, "NEW");
    run.changed(0, 2, "NEW");
    run.changed(8_000, 1, "FILLED");
    run.at(4_000);
    run.at(8_000);
    run.changed(13_000, 2, "REJECTED");
    run.at(23_000);
    expect(run.fold.result(end).uptimeBid).toBe(0.5);
  });

  test("counts a repeated cancel once, and a moved quote as placed, replaced and canceled", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.cancel(1, 1);
    run.cancel(2, 1);
    run.place(3, 2, "BUY", { origin: "replacement" });
    const first = { intent: 1, price: 99 };
    const second = { intent: 2, price: 98 };
    const planned = {
      type: "planned",
      strategy: "maker",
      marketId: market.marketId,
      mid: 100,
      tolerance: 0,
    } as const;
    run.at(4, [{ ...planned, kept: [first, second] }]);
    run.at(5, [{ ...planned, kept: [second] }]);
    expect(run.fold.result(end)).toMatchObject({
      quotesPlaced: 2,
      quotesReplaced: 1,
      quotesCanceled: 1,
      quotesKept: 3,
      unknownOutcomes: 2,
    });
  });

  test("counts rejected orders and refused placements, but not refused cancels or unsent orders", () => {
    const run = new ObservedRun();
    for (const intent of [1, 2, 3, 4]) run.place(0, intent, "BUY");
    run.changed(1, 1, "REJECTED");
    run.changed(1, 2, "NEVER_PLACED", { isRejected: true });
    run.changed(1, 3, "NEVER_PLACED");
    run.changed(1, 4, "UNKNOWN");
    expect(run.fold.result(end)).toMatchObject({ ordersRejected: 2, unknownOutcomes: 1 });
  });

  test("counts orders of an earlier run as unknown until the venue reports them", () => {
    const run = new ObservedRun();
    run.changed(0, 7, "UNKNOWN", { origin: "adopted", side: "SELL" });
    expect(run.fold.result(end).unknownOutcomes).toBe(1);
    run.changed(1_000, 7, "NEW");
    run.at(13_000);
    expect(run.fold.result(end)).toMatchObject({ unknownOutcomes: 0, uptimeAsk: 1 });
  });

  test("adds fills to volume, fees, inventory and PnL, and values the position at the newest mid", () => {
    const run = new ObservedRun();
    run.fill(1, "BUY", { price: "2000", quantity: "2", fee: "0.0004" });
    run.fill(2, "SELL", { price: "2010", quantity: "0.9998", fee: "0.402" });
    run.fold.mid(market.marketId, 2020);
    run.fold.mid(market.marketId, undefined);
    const summary = run.fold.result(end);
    expect(summary).toMatchObject({
      fills: 2,
      makerFills: 1,
      takerFills: 1,
      volumeBase: "2.9998",
      volumeQuote: "6009.598",
      fees: { "1": "0.0004", "2": "0.402" },
      inventory: { "1": "0.9998", "2": "-1990.804" },
      // Average cost 4000 / 1.9996; half of the base was sold for 2009.598 − 0.402.
      realisedPnl: "9.196",
      unrealisedPnl: "19.596",
    });
  });

  test("has no unrealised PnL for a position without a known mid", () => {
    const run = new ObservedRun();
    run.fill(1, "BUY", { price: "2000", quantity: "2", fee: "0" });
    expect(run.fold.result(end).unrealisedPnl).toBeNull();
  });

  test("sums amounts by token over several markets, and has PnL per strategy only", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "other", market: other },
    ]);
    run.fill(1, "BUY", { price: "2000", quantity: "1", fee: "0" });
    run.fill(2, "BUY", { price: "60000", quantity: "0.1", fee: "0" }, other);
    run.fold.mid(market.marketId, 2001);
    run.fold.mid(other.marketId, 59_000);
    run.at(3, [{ type: "bookState", marketId: other.marketId, state: "live" }]);
    run.at(4, [{ type: "bookState", marketId: other.marketId, state: "syncing" }]);
    const { strategies, ...total } = run.fold.result({
      ...end,
      ordersLeft: [{ strategy: "other", marketId: other.marketId }],
    });
    expect(total).toMatchObject({
      fills: 2,
      volumeBase: null,
      volumeQuote: null,
      realisedPnl: null,
      unrealisedPnl: null,
      inventory: { "1": "1", "2": "-8000", "3": "0.1" },
      ordersLeft: 1,
      bookResyncs: 1,
    });
    expect(strategies).toMatchObject([
      { name: "maker", unrealisedPnl: "1", volumeQuote: "2000", ordersLeft: 0, bookResyncs: 0 },
      { name: "other", unrealisedPnl: "-100", volumeQuote: "6000", ordersLeft: 1, bookResyncs: 1 },
    ]);
  });

  test("sums the strategies of one market, and has the worst and the mean of their uptime", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "second", market },
    ]);
    run.place(0, 1, "BUY", { strategy: "second" });
    run.changed(0, 1, "NEW");
    run.at(13_000);
    run.fill(13_000, "BUY", { price: "2000", quantity: "1", fee: "0" });
    run.fold.mid(market.marketId, 2010);
    const { strategies = [], ...total } = run.fold.result(end);
    expect(total).toMatchObject({ uptimeBid: 0, unrealisedPnl: "10", quotesPlaced: 1 });
    expect(total.meanUptime).toEqual({ bid: 0.5, ask: 0, obligation: null });
    expect(strategies.map(({ uptimeBid }) => uptimeBid)).toEqual([0, 1]);
  });

  test("has latency percentiles in microseconds for the run and per strategy", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "second", market },
    ]);
    run.fold.tickToOrder(100, { strategy: "maker" });
    run.fold.tickToOrder(300, { strategy: "second" });
    run.fold.tickToOrder(200);
    const { strategies = [], ...total } = run.fold.result(end);
    expect(total.tickToOrderP50Us).toBeCloseTo(200, -1);
    expect(Math.abs((total.tickToOrderP99Us ?? 0) / 300 - 1)).toBeLessThan(0.0055);
    expect(strategies.map(({ tickToOrderP50Us }) => tickToOrderP50Us)).toEqual([100, 300]);
  });

  test("lists a fee in a third token among the fees", () => {
    const run = new ObservedRun();
    run.at(1, [
      {
        type: "fill",
        strategy: "maker",
        intent: 1,
        role: "quote",
        paramsVersion: 1,
        position: fixed("0"),
        fill: {
          tradeId: "1",
          orderId: hashOf(1),
          marketId: market.marketId,
          side: "BUY",
          price: fixed("2000"),
          quantity: fixed("1"),
          fee: fixed("0.3"),
          feeToken: tokenId("9"),
          isMaker: true,
          timeMs: unixMs(start),
        },
      },
      {
        type: "denied",
        strategy: "maker",
        marketId: market.marketId,
        side: "BUY",
        price: 1,
        quantity: ZERO,
        reason: { rule: "balance", actual: "0", limit: "1" },
      },
    ]);
    expect(run.fold.result(end).fees).toEqual({ "9": "0.3" });
  });
});

describe("channels that are behind", () => {
  const depth = { kind: "depth", marketId: market.marketId } as const;
  const user = { kind: "userEvent" } as const;
  const behind = (sinceMs: number, channel: typeof depth | typeof user = depth): Note => {
    return {
      type: "channel",
      channel,
      state: "behind",
      sinceMs: start + sinceMs,
      reason: "silent",
    };
  };
  const live = (ms: number, channel: typeof depth | typeof user = depth): Note => {
    return { type: "channel", channel, state: "live", sinceMs: start + ms, reason: "" };
  };

  test("make no uptime, from their first sign on", () => {
    const run = new ObservedRun();
    run.place(3_000, 1, "BUY");
    run.changed(3_000, 1, "NEW");
    run.at(10_000);
    run.at(24_000, [behind(23_000)]);
    run.at(33_000, [live(33_000)]);
    run.at(43_000);
    expect(run.fold.result(end)).toMatchObject({ uptimeBid: 0.75, uptimeAsk: 0, staleMs: 10_000 });
  });

  test("make no uptime while the stream is closed, until the book is live again", () => {
    const { marketId } = market;
    const run = new ObservedRun();
    run.place(3_000, 1, "BUY");
    run.changed(3_000, 1, "NEW");
    run.at(13_000, [{ type: "bookState", marketId, state: "closed" }]);
    run.at(15_000, [{ type: "bookState", marketId, state: "syncing" }]);
    run.at(18_000, [{ type: "bookState", marketId, state: "live" }]);
    run.at(20_000, [{ type: "bookState", marketId, state: "syncing" }]);
    run.at(23_000);
    expect(run.fold.result(end)).toMatchObject({ uptimeBid: 0.75, staleMs: 5_000 });
  });

  test("take back no more than was counted", () => {
    const run = new ObservedRun();
    run.place(3_000, 1, "BUY");
    run.at(8_000);
    run.changed(8_000, 1, "NEW");
    run.at(13_000, [behind(4_000)]);
    run.at(23_000);
    expect(run.fold.result(end)).toMatchObject({ uptimeBid: 0, staleMs: 19_000 });
  });

  test("take back no time in which a step waited for the disk", () => {
    const run = new ObservedRun();
    run.place(3_000, 1, "BUY");
    run.changed(3_000, 1, "NEW");
    run.waits(13_000, 5_000);
    run.at(18_000, [behind(11_000)]);
    run.at(23_000);
    expect(run.fold.result(end)).toMatchObject({ uptimeBid: 0.4, staleMs: 12_000 });
  });

  test("count once when depth and user channel are behind at the same time", () => {
    const run = new ObservedRun();
    run.place(3_000, 1, "BUY");
    run.changed(3_000, 1, "NEW");
    run.at(13_000, [behind(13_000)]);
    run.at(15_000, [behind(14_000, user)]);
    run.at(18_000, [live(18_000)]);
    run.at(23_000, [live(23_000, user)]);
    expect(run.fold.result(end)).toMatchObject({ uptimeBid: 0.5, staleMs: 10_000 });
  });

  test("leave the uptime of a strategy in another market alone", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "other", market: other },
    ]);
    run.place(3_000, 1, "BUY", { marketId: other.marketId });
    run.at(13_000, [behind(13_000)]);
    run.at(23_000);
    const { strategies } = run.fold.result(end);
    expect(strategies?.map(({ name, staleMs }) => [name, staleMs])).toEqual([
      ["maker", 10_000],
      ["other", 0],
    ]);
  });

  test("the lag between public trade and user event is reported, whichever came first", () => {
    const run = new ObservedRun();
    for (const lagMs of [20, -30, 40]) {
      run.at(5_000, [{ type: "ownTrade", marketId: market.marketId, lagMs }]);
    }
    expect(run.fold.result(end)).toMatchObject({ ownTradeLagP50Ms: 30, ownTradeLagMaxMs: 40 });
  });
});

test("the time with a connected guard is counted, and left out when there was none", () => {
  const run = new ObservedRun();
  expect(run.fold.result(end)).not.toHaveProperty("guardedMs");
  run.at(5_000, [{ type: "guard", isConnected: true }]);
  run.at(12_000);
  run.at(25_000, [{ type: "guard", isConnected: false }]);
  run.at(60_000);
  expect(run.fold.result(end)).toMatchObject({ guardedMs: 20_000 });
});
