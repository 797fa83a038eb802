import { describe, expect, test } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Note } from "../../src/kernel/note.ts";
import { SummaryFold } from "../../src/metrics/summary.ts";
import type { OrderSnapshot, ShownStatus } from "../../src/orders/order-snapshot.ts";
import { OrderNotes, standing } from "../orders/order-notes.ts";
import { hashOf, market, start } from "../kernel/harness.ts";

const other: Market = {
  ...market,
  marketId: marketId("3", "2"),
  baseToken: tokenId("3"),
  ticker: "BTC/USDT",
};
const end = { durationMs: 60_000, ordersLeft: [], foreignOrders: 0, signer: "ethers" } as const;

/** A fold fed by hand, time in ms after the start. */
class ObservedRun {
  readonly fold: SummaryFold;
  readonly #orders = new OrderNotes();
  #seq = 0;

  constructor(strategies = [{ name: "maker", market }]) {
    this.fold = new SummaryFold({ strategies, startMs: start });
  }

  at(ms: number, notes: Note[] = []): void {
    this.#seq += 1;
    const batch = { seq: this.#seq, nowMs: unixMs(start + ms), inputs: [] };
    this.fold.observe({ batch, effects: [], notes });
  }

  /** Placed and signed. */
  place(ms: number, intent: number, side: Side, said: Partial<OrderSnapshot> = {}): void {
    this.at(ms, [this.#orders.next(intent, { side, orderId: undefined, ...said })]);
    this.at(ms, [this.#orders.next(intent, { orderId: hashOf(intent) })]);
  }

  changed(
    ms: number,
    intent: number,
    status: ShownStatus,
    said: Partial<OrderSnapshot> = {},
  ): void {
    this.at(ms, [this.#orders.next(intent, { ...standing(status), ...said })]);
  }

  cancel(ms: number, intent: number): void {
    const said = { state: "canceling", wasCanceled: true, reason: "price" } as const;
    this.at(ms, [this.#orders.next(intent, said)]);
  }

  fill(ms: number, side: Side, price: string, quantity: string, fee: string, in_ = market): void {
    const strategy = in_ === market ? "maker" : "other";
    this.at(ms, [
      {
        type: "fill",
        strategy,
        intent: 1,
        role: "quote",
        fill: {
          tradeId: String(this.#seq),
          orderId: hashOf(1),
          marketId: in_.marketId,
          side,
          price: fixed(price),
          quantity: fixed(quantity),
          fee: fixed(fee),
          feeToken: side === "BUY" ? in_.baseToken : in_.quoteToken,
          isMaker: side === "BUY",
          timeMs: unixMs(start + ms),
        },
      },
    ]);
  }
}

describe("SummaryFold", () => {
  test("stop orders and legs: counted for themselves, no quotes, no uptime, no doubt", () => {
    const run = new ObservedRun();
    const waiting = { side: "SELL", price: 0, stopPrice: 1900, waitsForTrigger: true } as const;
    run.place(0, 1, "SELL", { ...waiting, role: "stop", stopName: "floor" });
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

  test("a run without anything", () => {
    const summary = new ObservedRun().fold.result({
      ...end,
      ordersLeft: null,
      foreignOrders: null,
    });
    expect(summary).toEqual({
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
      ordersLeft: null,
      unknownOutcomes: 0,
      bookResyncs: 0,
      bookAudits: 0,
      bookAuditMismatches: 0,
      tickToOrderP50Us: null,
      tickToOrderP99Us: null,
      foreignOrders: null,
      signer: "ethers",
    });
  });

  test("uptime runs from 3 s after the start to the stop signal, over acknowledged orders", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.place(0, 2, "SELL");
    run.changed(1_000, 1, "NEW");
    // The ask's request ends without an answer: it does not count until the venue shows it.
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

  test("two orders of one side are up until the last has ended, and time that goes back adds nothing", () => {
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

  test("quotes count orders: a repeated cancel is one, a moved quote counts in all three", () => {
    const run = new ObservedRun();
    run.place(0, 1, "BUY");
    run.cancel(1, 1);
    run.cancel(2, 1);
    run.place(3, 2, "BUY", { origin: "replacement" });
    run.at(4, [{ type: "kept", strategy: "maker", count: 2 }]);
    run.at(5, [{ type: "kept", strategy: "maker", count: 1 }]);
    expect(run.fold.result(end)).toMatchObject({
      quotesPlaced: 2,
      quotesReplaced: 1,
      quotesCanceled: 1,
      quotesKept: 3,
      unknownOutcomes: 2,
    });
  });

  test("rejected orders and refused placements count, refused cancels and orders never sent do not", () => {
    const run = new ObservedRun();
    for (const intent of [1, 2, 3, 4]) run.place(0, intent, "BUY");
    run.changed(1, 1, "REJECTED");
    run.changed(1, 2, "NEVER_PLACED", { isRejected: true });
    run.changed(1, 3, "NEVER_PLACED");
    run.changed(1, 4, "UNKNOWN");
    expect(run.fold.result(end)).toMatchObject({ ordersRejected: 2, unknownOutcomes: 1 });
  });

  test("orders of an earlier run are unknown until the venue has spoken", () => {
    const run = new ObservedRun();
    run.changed(0, 7, "UNKNOWN", { origin: "adopted", side: "SELL" });
    expect(run.fold.result(end).unknownOutcomes).toBe(1);
    run.changed(1_000, 7, "NEW");
    run.at(13_000);
    expect(run.fold.result(end)).toMatchObject({ unknownOutcomes: 0, uptimeAsk: 1 });
  });

  test("fills move volume, fees, inventory and PnL; the newest known mid values what is held", () => {
    const run = new ObservedRun();
    run.fill(1, "BUY", "2000", "2", "0.0004");
    run.fill(2, "SELL", "2010", "0.9998", "0.402");
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

  test("what is held without a known mid has no unrealised PnL", () => {
    const run = new ObservedRun();
    run.fill(1, "BUY", "2000", "2", "0");
    expect(run.fold.result(end).unrealisedPnl).toBeNull();
  });

  test("several markets: amounts by token in the total, prices and PnL per strategy only", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "other", market: other },
    ]);
    run.fill(1, "BUY", "2000", "1", "0");
    run.fill(2, "BUY", "60000", "0.1", "0", other);
    run.fold.mid(market.marketId, 2001);
    run.fold.mid(other.marketId, 59_000);
    run.at(3, [{ type: "bookState", marketId: other.marketId, state: "live" }]);
    run.at(4, [{ type: "bookState", marketId: other.marketId, state: "syncing" }]);
    const { strategies, ...total } = run.fold.result({ ...end, ordersLeft: ["other"] });
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

  test("strategies of one market share a sum, and one of them is enough for uptime", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "second", market },
    ]);
    run.place(0, 1, "BUY", { strategy: "second" });
    run.changed(0, 1, "NEW");
    run.at(13_000);
    run.fill(13_000, "BUY", "2000", "1", "0");
    run.fold.mid(market.marketId, 2010);
    const { strategies = [], ...total } = run.fold.result(end);
    expect(total).toMatchObject({ uptimeBid: 1, unrealisedPnl: "10", quotesPlaced: 1 });
    expect(strategies.map(({ uptimeBid }) => uptimeBid)).toEqual([0, 1]);
  });

  test("latency in microseconds, over all and per strategy", () => {
    const run = new ObservedRun([
      { name: "maker", market },
      { name: "second", market },
    ]);
    run.fold.tickToOrder(100, "maker");
    run.fold.tickToOrder(300, "second");
    run.fold.tickToOrder(200);
    const { strategies = [], ...total } = run.fold.result(end);
    expect(total.tickToOrderP50Us).toBeCloseTo(200, -1);
    expect(Math.abs((total.tickToOrderP99Us ?? 0) / 300 - 1)).toBeLessThan(0.0055);
    expect(strategies.map(({ tickToOrderP50Us }) => tickToOrderP50Us)).toEqual([100, 300]);
  });

  test("a fee of a third token stands among the fees", () => {
    const run = new ObservedRun();
    run.at(1, [
      {
        type: "fill",
        strategy: "maker",
        intent: 1,
        role: "quote",
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
        side: "BUY",
        price: 1,
        quantity: ZERO,
        reason: { rule: "balance", actual: "0", limit: "1" },
      },
    ]);
    expect(run.fold.result(end).fees).toEqual({ "9": "0.3" });
  });
});
