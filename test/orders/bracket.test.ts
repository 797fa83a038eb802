import { describe, expect, it } from "vitest";
import type { PlaceCommand } from "../../src/domain/command.ts";
import { fixedText } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { OrderEventType, OrderStatus, OrderType } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { remainingOf } from "../../src/orders/tracked-order.ts";
import {
  cancelCommand,
  eventOf,
  fillOf,
  idOf,
  marketId,
  placeCommand,
  reportOf,
  exposureOf,
} from "./order-fixture.ts";

/** The id's last byte is ff, so the legs' ids wrap around (§4.4). */
const A = idOf(0x1ff);
const { takeProfit: TP, stopLoss: SL } = legIdsOf(A);
const command: PlaceCommand = {
  ...placeCommand(1, { quantity: "10", price: 100 }),
  tpsl: { tpLimit: 110, slTrigger: 90, slLimit: undefined },
};

function placedBracket(placing: PlaceCommand = command) {
  const timing = { queryFirstMs: 200, queryMaxMs: 3_000 };
  const tracker = new OrderTracker({ maxEnded: 10, ...timing });
  tracker.commands.place(placing, unixMs(1_000));
  tracker.commands.signed(1, A);
  const order = (id: OrderId) => {
    const found = tracker.byId(id);
    if (found === undefined) throw new Error(`${id} is not tracked`);
    return found;
  };
  const types: Record<string, OrderType> = {
    [A]: "LIMIT",
    [TP]: "TAKE_PROFIT_LIMIT",
    [SL]: "STOP_LOSS_MARKET",
  };
  let block = 0;
  const event = (
    id: OrderId,
    type: OrderEventType,
    status: OrderStatus,
    more: { executed?: string; quantity?: string; price?: string; fill?: string } = {},
    atMs = 2_000,
  ) => {
    block += 1;
    const side = id === A ? "BUY" : "SELL";
    const report = { ...reportOf(id, status, { side, ...more }), orderType: types[id] ?? "LIMIT" };
    const fill =
      more.fill === undefined ? {} : { fill: fillOf(id, `${block}`, more.fill, { side }) };
    return tracker.reports.event(
      eventOf(type, report, { blockNumber: block, ...fill }),
      unixMs(atMs),
    );
  };
  const filled = () => event(A, "TRADE", "FILLED", { executed: "10", fill: "10" });
  const legsPlaced = () => {
    event(TP, "NEW", "NEW", { quantity: "9.998" });
    event(SL, "NEW", "NEW", { quantity: "9.998" });
  };
  const phases = () => [A, TP, SL].map((id) => order(id).phase);
  const exposure = (side: "BUY" | "SELL") => fixedText(exposureOf(tracker, marketId, side));
  const queried = (atMs: number) => tracker.queries.due(unixMs(atMs)).map(({ orderId }) => orderId);
  return { tracker, order, event, filled, legsPlaced, phases, exposure, queried };
}

describe("an order with take profit and stop loss", () => {
  it("has legs that are orders from signing on, under the derived ids", () => {
    const bracket = placedBracket();
    expect(TP.slice(-2)).toBe("00");
    expect(bracket.phases()).toEqual(["in-flight", "pending", "pending"]);
    expect(bracket.order(TP)).toMatchObject({
      intent: 2,
      side: "SELL",
      price: 110,
      strategy: "maker",
      leg: "takeProfit",
    });
    expect(bracket.order(SL)).toMatchObject({
      intent: 3,
      price: 0,
      trigger: { stopPrice: 90, isFired: false },
    });
    expect(bracket.tracker.of("maker", marketId).quotes).toEqual([bracket.order(A)]);
    expect(bracket.tracker.of("maker", marketId).contingent).toEqual([
      bracket.order(TP),
      bracket.order(SL),
    ]);
    // The legs can sell only what the quote buys.
    expect([bracket.exposure("BUY"), bracket.exposure("SELL")]).toEqual(["10", "0"]);
  });

  it("has placed legs after its fill, which count once and have their size", () => {
    const bracket = placedBracket();
    bracket.event(A, "NEW", "NEW");
    bracket.filled();
    expect(bracket.phases()).toEqual(["ended", "pending", "pending"]);
    expect(bracket.exposure("SELL")).toBe("10");
    // The legs are queried in case their events were lost.
    expect(bracket.queried(2_200)).toEqual([TP, SL]);
    bracket.legsPlaced();
    expect(bracket.phases()).toEqual(["ended", "working", "working"]);
    expect(bracket.queried(1e9)).toEqual([]);
    expect(bracket.exposure("SELL")).toBe("9.998");
    // Only the take profit rests in the book.
    expect([...bracket.tracker.ownQuantityByPrice(marketId, "SELL")]).toEqual([[110, 9.998]]);
  });

  it("handles a leg's event that comes before its quote's", () => {
    const bracket = placedBracket();
    bracket.legsPlaced();
    expect(bracket.phases()).toEqual(["in-flight", "working", "working"]);
    expect(bracket.queried(2_200)).toEqual([A]);
    bracket.filled();
    expect(bracket.phases()).toEqual(["ended", "working", "working"]);
    expect(bracket.exposure("SELL")).toBe("9.998");
  });

  it("reduces one leg by the fills of the other, and ends it after a full fill", () => {
    const bracket = placedBracket();
    bracket.filled();
    bracket.legsPlaced();
    bracket.event(TP, "TRADE", "PARTIALLY_FILLED", { quantity: "9.998", executed: "4", fill: "4" });
    expect(fixedText(remainingOf(bracket.order(SL)))).toBe("5.998");
    expect(bracket.exposure("SELL")).toBe("5.998");
    bracket.event(SL, "TRIGGER", "NEW", { quantity: "9.998" });
    expect(bracket.order(SL).trigger?.isFired).toBe(true);
    bracket.event(SL, "TRADE", "FILLED", { quantity: "9.998", executed: "5.998", fill: "5.998" });
    // The event of the other leg's end was lost.
    expect(bracket.phases()).toEqual(["ended", "working", "ended"]);
    expect(bracket.exposure("SELL")).toBe("0");
    expect(bracket.queried(2_200)).toEqual([TP]);
    bracket.event(TP, "CANCEL", "CANCELED", { quantity: "9.998", executed: "4" });
    expect(bracket.phases()).toEqual(["ended", "ended", "ended"]);
    expect(bracket.tracker.missingFills()).toEqual([]);
  });

  it("counts a fired stop loss that rests in the book once, and not after its end", () => {
    const bracket = placedBracket({
      ...command,
      tpsl: { tpLimit: 110, slTrigger: 90, slLimit: 89 },
    });
    bracket.filled();
    bracket.legsPlaced();
    const fired = { quantity: "9.998", price: "89" };
    bracket.event(SL, "TRIGGER", "NEW", fired);
    bracket.event(SL, "TRADE", "PARTIALLY_FILLED", { ...fired, executed: "4", fill: "4" });
    expect(bracket.tracker.ownQuantityByPrice(marketId, "SELL").get(89)).toBe(5.998);
    bracket.event(SL, "TRADE", "FILLED", { ...fired, executed: "9.998", fill: "5.998" });
    expect([...bracket.tracker.ownQuantityByPrice(marketId, "SELL")]).toEqual([]);
    bracket.event(TP, "CANCEL", "CANCELED", { quantity: "9.998" });
    expect([...bracket.tracker.ownQuantityByPrice(marketId, "SELL")]).toEqual([]);
    expect(bracket.exposure("SELL")).toBe("0");
  });

  it("waits for a leg that the venue does not show yet right after its quote filled", () => {
    const bracket = placedBracket();
    bracket.tracker.commands.responded(1, { type: "accepted" }, unixMs(1_500));
    bracket.event(A, "NEW", "NEW");
    // The quote rested for long. Then the query reaches a node that has not placed the legs yet.
    bracket.event(A, "TRADE", "FILLED", { executed: "10", fill: "10" }, 3_600_000);
    expect(bracket.queried(3_600_200)).toEqual([TP, SL]);
    for (const leg of [TP, SL])
      bracket.tracker.reports.report(leg, "absent", 3_600_200, unixMs(3_600_250));
    expect(bracket.phases()).toEqual(["ended", "pending", "pending"]);
    expect(bracket.exposure("SELL")).toBe("10");
    for (const leg of [TP, SL])
      bracket.tracker.reports.report(leg, "absent", 3_610_000, unixMs(3_610_050));
    expect(bracket.phases()).toEqual(["ended", "ended", "ended"]);
  });

  it("queries legs again after their quote's response when they were queried before it", () => {
    const bracket = placedBracket();
    bracket.filled();
    for (const leg of [TP, SL]) bracket.tracker.reports.report(leg, "absent", 2_200, unixMs(2_250));
    bracket.tracker.commands.responded(1, { type: "accepted" }, unixMs(3_000));
    expect(bracket.queried(3_200)).toEqual([TP, SL]);
  });

  it("allows another cancel of a leg once it is placed when the first one came too early", () => {
    const bracket = placedBracket();
    bracket.tracker.commands.responded(1, { type: "accepted" }, unixMs(1_500));
    bracket.event(A, "NEW", "NEW");
    bracket.tracker.commands.cancelMade(cancelCommand(9, TP));
    const none = {
      type: "refused",
      reason: "notFound",
      message: "none",
      retryAfterMs: undefined,
    } as const;
    bracket.tracker.commands.responded(9, none, unixMs(2_000));
    bracket.tracker.reports.report(TP, "absent", 2_000, unixMs(2_100));
    bracket.filled();
    bracket.legsPlaced();
    expect(bracket.order(TP).cancel).toBe("none");
  });

  it("keeps the requested size of a waiting leg while the venue reports none", () => {
    const bracket = placedBracket();
    bracket.event(A, "NEW", "NEW");
    const report = reportOf(TP, "PENDING_NEW", { side: "SELL", price: "110", quantity: "0" });
    bracket.tracker.reports.report(TP, report, 2_000, unixMs(2_100));
    expect(bracket.order(TP).phase).toBe("pending");
    expect(fixedText(bracket.order(TP).quantity)).toBe("10");
  });

  it("loses its legs when canceled after a partial fill, which they count until then", () => {
    const bracket = placedBracket();
    bracket.event(A, "TRADE", "PARTIALLY_FILLED", { executed: "3", fill: "3" });
    expect(bracket.exposure("SELL")).toBe("3");
    bracket.event(A, "CANCEL", "CANCELED", { executed: "3" });
    expect(bracket.queried(2_200)).toEqual([TP, SL]);
    for (const leg of [TP, SL]) bracket.event(leg, "CANCEL", "CANCELED");
    expect(bracket.tracker.live()).toEqual([]);
    expect([bracket.exposure("BUY"), bracket.exposure("SELL")]).toEqual(["0", "0"]);
  });

  it("loses both legs when one is canceled, and keeps working itself", () => {
    const bracket = placedBracket();
    bracket.event(A, "NEW", "NEW");
    bracket.tracker.commands.cancelMade(cancelCommand(9, TP));
    bracket.event(TP, "CANCEL", "CANCELED");
    expect(bracket.phases()).toEqual(["working", "ended", "pending"]);
    expect(bracket.queried(2_200)).toEqual([SL]);
    const report = { ...reportOf(SL, "CANCELED", { side: "SELL" }) };
    bracket.tracker.reports.report(SL, report, 2_200, unixMs(2_300));
    expect(bracket.phases()).toEqual(["working", "ended", "ended"]);
  });

  it("queries the other leg until a response is newer than the end of its pair", () => {
    const bracket = placedBracket();
    bracket.event(A, "NEW", "NEW");
    bracket.tracker.commands.cancelMade(cancelCommand(9, TP));
    bracket.event(TP, "CANCEL", "CANCELED");
    const waiting = reportOf(SL, "PENDING_NEW", { side: "SELL", quantity: "0" });
    expect(bracket.queried(2_200)).toEqual([SL]);
    bracket.tracker.reports.report(SL, "absent", 1_900, unixMs(2_300));
    expect(bracket.queried(10_000)).toEqual([SL]);
    bracket.tracker.reports.report(SL, waiting, 1_900, unixMs(10_000));
    expect(bracket.queried(20_000)).toEqual([SL]);
    bracket.tracker.reports.report(
      SL,
      reportOf(SL, "CANCELED", { side: "SELL" }),
      20_000,
      unixMs(20_050),
    );
    expect(bracket.phases()).toEqual(["working", "ended", "ended"]);
  });

  it.each([
    ["refused", { type: "refused", reason: "invalid", message: "no", retryAfterMs: undefined }],
    ["not sent", { type: "not-sent", message: "no" }],
  ] as const)("has legs that were never placed when it is %s", (_, outcome) => {
    const bracket = placedBracket();
    const changes = bracket.tracker.commands.responded(1, outcome, unixMs(1_500));
    expect(bracket.tracker.live()).toEqual([]);
    expect(changes.map((change) => change.type === "order" && change.status)).toEqual([
      "NEVER_PLACED",
      "NEVER_PLACED",
      "NEVER_PLACED",
    ]);
  });

  it("has legs that were never placed when it is rejected at admission", () => {
    const bracket = placedBracket();
    bracket.tracker.commands.responded(1, { type: "accepted" }, unixMs(1_500));
    bracket.event(A, "REJECTED", "REJECTED");
    expect(bracket.tracker.live()).toEqual([]);
    expect(bracket.order(TP).status).toBeUndefined();
  });

  it("of unknown outcome is queried by id, which settles its legs too", () => {
    const bracket = placedBracket();
    bracket.tracker.commands.responded(1, { type: "unknown", message: "" }, unixMs(1_500));
    expect(bracket.phases()).toEqual(["unknown", "pending", "pending"]);
    expect(bracket.queried(1_700)).toEqual([A]);
    bracket.tracker.reports.report(A, "absent", 20_000, unixMs(20_000));
    expect(bracket.tracker.live()).toEqual([]);

    const other = placedBracket();
    other.tracker.commands.responded(1, { type: "unknown", message: "" }, unixMs(1_500));
    other.tracker.reports.report(
      A,
      reportOf(A, "FILLED", { executed: "10" }),
      1_800,
      unixMs(1_900),
    );
    expect(other.queried(2_100)).toEqual([TP, SL]);
    other.tracker.reports.report(SL, "absent", 2_100, unixMs(2_200));
    expect(other.phases()).toEqual(["ended", "pending", "pending"]);
    // The query is late enough that nothing can arrive any more. The order was rejected for lack of funds.
    other.tracker.reports.report(SL, "absent", 20_000, unixMs(20_000));
    expect(other.order(SL).phase).toBe("ended");
  });

  it("is settled with its legs by a list of open orders after the venue refused it", () => {
    const { tracker } = placedBracket();
    const message = "too many requests";
    const reason = "rateLimited";
    const outcome = { type: "refused", reason, message, retryAfterMs: undefined } as const;
    tracker.commands.responded(1, outcome, unixMs(1_500));
    expect(tracker.takeSettled()).toEqual([]);
    tracker.reports.openOrders([], 1_499, unixMs(1_600));
    expect(tracker.takeSettled()).toEqual([]);
    tracker.reports.openOrders([], 1_501, unixMs(1_600));
    expect(tracker.takeSettled().toSorted()).toEqual([A, TP, SL].toSorted());
  });

  it("is linked to its remaining legs again after a restart", () => {
    const common = {
      nonce: 1_800_000_000_001,
      strategy: "maker",
      marketId,
      executed: "0",
      tradeIds: [],
    };
    const tpsl = { tpLimit: 110, slTrigger: 90, slLimit: undefined };
    const entry = { ...common, orderId: A, side: "BUY", price: 100, quantity: "10", tpsl } as const;
    const takeProfit = {
      ...common,
      orderId: TP,
      side: "SELL",
      price: 110,
      quantity: "10",
      leg: { of: A, kind: "takeProfit" },
    } as const;
    const stopLoss = {
      ...common,
      orderId: SL,
      side: "SELL",
      price: 0,
      quantity: "10",
      leg: { of: A, kind: "stopLoss", stopPrice: 90 },
    } as const;

    const whole = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
    const orders = whole.restore([entry, takeProfit, stopLoss], unixMs(5_000));
    expect(orders.map(({ phase }) => phase)).toEqual(["unknown", "pending", "pending"]);
    expect(whole.queries.due(unixMs(5_000)).map(({ orderId }) => orderId)).toEqual([A, TP, SL]);
    expect(fixedText(exposureOf(whole, marketId, "SELL"))).toBe("0");
    // A waiting leg depends on its quote, so it is not queried forever.
    const pending = { ...reportOf(TP, "PENDING_NEW", { side: "SELL", price: "110" }) };
    whole.reports.report(TP, pending, 5_000, unixMs(5_100));
    expect(whole.byId(TP)?.phase).toBe("pending");
    expect(whole.queries.due(unixMs(1e9)).map(({ orderId }) => orderId)).toEqual([A, SL]);

    const legs = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
    legs.restore([takeProfit, stopLoss], unixMs(5_000));
    expect(fixedText(exposureOf(legs, marketId, "SELL"))).toBe("10");
    legs.reports.report(
      TP,
      { ...reportOf(TP, "NEW", { side: "SELL", quantity: "9.998" }) },
      5_000,
      unixMs(5_100),
    );
    legs.reports.report(
      SL,
      { ...reportOf(SL, "NEW", { side: "SELL", quantity: "9.998" }), isTriggered: true },
      5_000,
      unixMs(5_100),
    );
    expect(legs.byId(SL)).toMatchObject({ phase: "working", trigger: { isFired: true } });
    expect(legs.byId(TP)?.bracket).toBe(legs.byId(SL)?.bracket);
    expect(fixedText(exposureOf(legs, marketId, "SELL"))).toBe("9.998");
  });
});

describe("a stop order", () => {
  const stop = {
    ...placeCommand(1, { side: "SELL", price: 0, quantity: "2" }),
    type: "stop",
    name: "floor",
    kind: "stop-loss",
    stopPrice: 90,
    orderType: "MARKET",
  } as const;

  it("does not rest in the book, counts as exposure, and fires", () => {
    const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
    tracker.commands.place({ ...stop, price: 89, orderType: "LIMIT" }, unixMs(1_000));
    tracker.commands.signed(1, A);
    const report = (status: OrderStatus) => ({
      ...reportOf(A, status, { side: "SELL", quantity: "2", price: "89" }),
      orderType: "STOP_LOSS_LIMIT" as const,
    });
    tracker.reports.event(eventOf("NEW", report("NEW")), unixMs(1_100));
    expect(fixedText(exposureOf(tracker, marketId, "SELL"))).toBe("2");
    expect([...tracker.ownQuantityByPrice(marketId, "SELL")]).toEqual([]);
    const changes = tracker.reports.event(eventOf("TRIGGER", report("NEW")), unixMs(1_200));
    expect(changes.map(({ type }) => type)).toEqual(["triggered"]);
    expect([...tracker.ownQuantityByPrice(marketId, "SELL")]).toEqual([[89, 2]]);
  });

  it("causes a warning when the venue makes it the other kind", () => {
    const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 200, queryMaxMs: 3_000 });
    tracker.commands.place(stop, unixMs(1_000));
    tracker.commands.signed(1, A);
    const report = {
      ...reportOf(A, "NEW", { side: "SELL" }),
      orderType: "TAKE_PROFIT_MARKET" as const,
    };
    const changes = tracker.reports.event(eventOf("NEW", report), unixMs(1_100));
    expect(changes).toContainEqual(expect.objectContaining({ code: "STOP_TURNED" }));
    expect(tracker.byId(A)?.trigger?.isTurned).toBe(true);
    expect(tracker.reports.event(eventOf("NEW", report), unixMs(1_100))).toEqual([]);
  });
});
