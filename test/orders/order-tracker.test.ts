import { describe, expect, it } from "vitest";
import type { CommandOutcome, RefusalReason } from "../../src/domain/command.ts";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { OrderChange } from "../../src/orders/order-change.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import {
  cancelCommand,
  eventOf,
  fillOf,
  idOf,
  marketId,
  placeCommand,
  reportOf,
  type PlaceOptions,
  exposureOf,
} from "./order-fixture.ts";

const accepted: CommandOutcome = { type: "accepted" };
const unknown: CommandOutcome = { type: "unknown", message: "time-out" };
const notSent: CommandOutcome = { type: "not-sent", message: "no connection" };
function refused(reason: RefusalReason): CommandOutcome {
  return { type: "refused", reason, message: `refused ${reason}`, retryAfterMs: undefined };
}
const at = unixMs;

function makeTracker(options: { readonly maxEnded?: number } = {}): OrderTracker {
  return new OrderTracker({
    maxEnded: options.maxEnded ?? 100,
    queryFirstMs: 250,
    queryMaxMs: 4000,
    inFlightMs: 10_000,
  });
}

/** A tracker with one placement, intent 1, made and signed at 0. */
function withOrder(options: PlaceOptions = {}) {
  const tracker = makeTracker();
  const order = tracker.commands.place(placeCommand(1, options), at(0));
  tracker.commands.signed(1, idOf(1));
  return { tracker, order, id: idOf(1) };
}

function warnings(changes: readonly OrderChange[]): string[] {
  return changes.flatMap((change) => (change.type === "warning" ? [change.code] : []));
}

function fills(changes: readonly OrderChange[]): string[] {
  return changes.flatMap((change) => (change.type === "fill" ? [change.fill.tradeId] : []));
}

function states(changes: readonly OrderChange[]): string[] {
  return changes.flatMap((change) => (change.type === "order" ? [change.status] : []));
}

describe("placement", () => {
  it("counts as exposure from the decision on, and is found by intent and, once signed, by id", () => {
    const tracker = makeTracker();
    const order = tracker.commands.place(placeCommand(7), at(5));
    expect(tracker.byIntent(7)).toBe(order);
    expect(order).toMatchObject({ phase: "in-flight", orderId: undefined, madeAtMs: 5 });
    expect(fixedText(exposureOf(tracker, marketId, "BUY"))).toBe("10");
    tracker.commands.signed(7, idOf(7));
    expect(tracker.byId(idOf(7))).toBe(order);
    expect(tracker.live("maker")).toEqual([order]);
    expect(tracker.live("other")).toEqual([]);
  });

  it("works after an acceptance, even without an event", () => {
    const { tracker, order } = withOrder();
    expect(states(tracker.commands.responded(1, accepted, at(20)))).toEqual(["NEW"]);
    expect(order).toMatchObject({ phase: "working", status: "NEW", ackedAtMs: 20 });
    expect(tracker.ownQuantityByPrice(marketId, "BUY")).toEqual(new Map([[100, 10]]));
  });

  it("was never placed and has no exposure when refused or not sent", () => {
    for (const outcome of [refused("invalid"), notSent]) {
      const { tracker, order } = withOrder();
      const changes = tracker.commands.responded(1, outcome, at(20));
      expect(states(changes)).toEqual(["NEVER_PLACED"]);
      expect(order).toMatchObject({ phase: "ended", status: undefined, endedAtMs: 20 });
      expect(exposureOf(tracker, marketId, "BUY")).toBe(0n);
      expect(tracker.live()).toEqual([]);
      expect(tracker.queries.nextMs()).toBeUndefined();
    }
  });

  it("is unknown without a readable response: it stays exposure and is queried by id with growing waits", () => {
    const { tracker, order } = withOrder();
    expect(states(tracker.commands.responded(1, unknown, at(1000)))).toEqual(["UNKNOWN"]);
    expect(fixedText(exposureOf(tracker, marketId, "BUY"))).toBe("10");
    expect(tracker.ownQuantityByPrice(marketId, "BUY").size).toBe(0);
    expect(tracker.queries.due(at(1249))).toEqual([]);
    const queried: number[] = [];
    for (let now = 1000; now < 12_000; now += 1) {
      for (const due of tracker.queries.due(at(now))) {
        expect(due).toBe(order);
        queried.push(now - 1000);
        tracker.queries.queried(due, at(now));
      }
    }
    expect(queried).toEqual([250, 500, 1000, 2000, 4000, 8000]);
  });

  it("does not change by a response that comes after its event", () => {
    const { tracker, order, id } = withOrder();
    expect(states(tracker.reports.event(eventOf("NEW", reportOf(id, "NEW")), at(10)))).toEqual([
      "NEW",
    ]);
    expect(tracker.commands.responded(1, accepted, at(20))).toEqual([]);
    expect(order).toMatchObject({ phase: "working", ackedAtMs: 10, requestEndedAtMs: 20 });
  });

  it("works after an event without a response, and is queried once", () => {
    const { tracker, order, id } = withOrder();
    tracker.reports.event(eventOf("NEW", reportOf(id, "NEW")), at(10));
    expect(tracker.commands.responded(1, unknown, at(5000))).toEqual([]);
    expect(order.phase).toBe("working");
    expect(tracker.queries.nextMs()).toBe(5250);
    tracker.reports.report(id, reportOf(id, "NEW"), 5250, at(5260));
    expect(tracker.queries.nextMs()).toBeUndefined();
  });

  it("can be rejected after it was accepted (D12)", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, accepted, at(10));
    const changes = tracker.reports.event(eventOf("REJECTED", reportOf(id, "REJECTED")), at(11));
    expect(states(changes)).toEqual(["REJECTED"]);
    expect(order.phase).toBe("ended");
    expect(tracker.ownQuantityByPrice(marketId, "BUY").size).toBe(0);
  });

  it("counts, with a warning and a query, when it is refused after the venue had shown it", () => {
    const { tracker, order, id } = withOrder();
    tracker.reports.event(eventOf("NEW", reportOf(id, "NEW")), at(10));
    expect(warnings(tracker.commands.responded(1, refused("nonceUsed"), at(20)))).toEqual([
      "ORDER_CONTRADICTION",
    ]);
    expect(order.phase).toBe("working");
    expect(tracker.queries.nextMs()).toBeDefined();
  });
});

describe("absence of an order", () => {
  it("means nothing while the request is open", () => {
    const { tracker, order, id } = withOrder();
    expect(tracker.reports.report(id, "absent", 50_000, at(50_010))).toEqual([]);
    expect(order.phase).toBe("in-flight");
  });

  it("means never placed only when queried after the request can no longer arrive", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, unknown, at(1000));
    // The query was sent too early, although its response came late.
    expect(tracker.reports.report(id, "absent", 10_999, at(20_000))).toEqual([]);
    expect(order.phase).toBe("unknown");
    expect(tracker.queries.nextMs()).toBe(20_001);
    const changes = tracker.reports.report(id, "absent", 11_000, at(20_002));
    expect(states(changes)).toEqual(["NEVER_PLACED"]);
    expect(order.phase).toBe("ended");
  });

  it("is queried again exactly when it becomes conclusive", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, unknown, at(1000));
    for (let now = 1000; order.phase !== "ended"; now += 1) {
      expect(now).toBeLessThan(11_002);
      for (const due of tracker.queries.due(at(now))) {
        tracker.queries.queried(due, at(now));
        tracker.reports.report(id, "absent", now, at(now));
      }
    }
    expect(order.endedAtMs).toBe(11_000);
  });

  it("keeps an acknowledged order, with a warning and another query", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, accepted, at(1000));
    const changes = tracker.reports.report(id, "absent", 60_000, at(60_010));
    expect(warnings(changes)).toEqual(["ORDER_VANISHED"]);
    expect(order.phase).toBe("working");
    expect(tracker.queries.nextMs()).toBeGreaterThan(60_010);
  });

  it("is revoked when the venue shows the order after all", () => {
    for (const how of ["event", "report", "list"] as const) {
      const { tracker, order, id } = withOrder();
      tracker.commands.responded(1, unknown, at(0));
      tracker.reports.report(id, "absent", 10_000, at(10_001));
      expect(order.phase).toBe("ended");
      const report = reportOf(id, "NEW");
      const changes =
        how === "event"
          ? tracker.reports.event(eventOf("NEW", report), at(10_500))
          : how === "report"
            ? tracker.reports.report(id, report, 10_400, at(10_500))
            : tracker.reports.openOrders([report], 10_400, at(10_500));
      expect(warnings(changes)).toEqual(["ORDER_APPEARED"]);
      expect(order).toMatchObject({ phase: "working", status: "NEW", endedAtMs: undefined });
      expect(fixedText(exposureOf(tracker, marketId, "BUY"))).toBe("10");
      expect(tracker.live()).toEqual([order]);
    }
  });
});

describe("executions", () => {
  it("yield a fill once, from the source that comes first", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, accepted, at(1));
    const fill = fillOf(id, "t1", "4");
    const trade = eventOf("TRADE", reportOf(id, "PARTIALLY_FILLED", { executed: "4" }), { fill });
    expect(fills(tracker.reports.event(trade, at(2)))).toEqual(["t1"]);
    expect(tracker.reports.event(trade, at(3))).toEqual([]);
    expect(tracker.reports.fills([fill], at(4))).toEqual([]);
    expect(order).toMatchObject({ executed: fixed("4"), filled: fixed("4") });
    expect(tracker.ownQuantityByPrice(marketId, "BUY")).toEqual(new Map([[100, 6]]));
  });

  it("are listed as missing fills until the fills are known", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, accepted, at(1));
    const second = fillOf(id, "t2", "3");
    const report = reportOf(id, "PARTIALLY_FILLED", { executed: "7" });
    const changes = tracker.reports.event(eventOf("TRADE", report, { fill: second }), at(2));
    expect(changes).toContainEqual({ type: "missingFills", order });
    expect(tracker.missingFills()).toEqual([order]);
    expect(fills(tracker.reports.fills([second, fillOf(id, "t1", "4")], at(3)))).toEqual(["t1"]);
    expect(tracker.missingFills()).toEqual([]);
    expect(order.executed).toBe(fixed("7"));
  });

  it("book a fill that comes after the end, and never reopen the order", () => {
    const { tracker, order, id } = withOrder();
    const canceled = reportOf(id, "CANCELED", { executed: "4" });
    tracker.reports.event(eventOf("CANCEL", canceled), at(2));
    expect(tracker.sizes).toMatchObject({ ended: 1, missingFills: 1 });
    const late = reportOf(id, "PARTIALLY_FILLED", { executed: "4" });
    const changes = tracker.reports.event(
      eventOf("TRADE", late, { fill: fillOf(id, "t1", "4") }),
      at(3),
    );
    expect(fills(changes)).toEqual(["t1"]);
    expect(order).toMatchObject({ phase: "ended", status: "CANCELED", endedAtMs: 2 });
    expect(tracker.sizes.missingFills).toBe(0);
  });

  it("make the order FILLED when any report shows all of it executed", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, unknown, at(1));
    const changes = tracker.reports.fills([fillOf(id, "t1", "4"), fillOf(id, "t2", "6")], at(2));
    expect(fills(changes)).toEqual(["t1", "t2"]);
    expect(order).toMatchObject({ phase: "ended", status: "FILLED" });
  });

  it("do not book a fill beyond the ordered quantity", () => {
    const { tracker, order, id } = withOrder();
    tracker.reports.fills([fillOf(id, "t1", "9")], at(1));
    const changes = tracker.reports.fills([fillOf(id, "t2", "2")], at(2));
    expect(warnings(changes)).toEqual(["OVERFILL"]);
    expect(fills(changes)).toEqual([]);
    expect(order.filled).toBe(fixed("9"));
    expect(tracker.reports.fills([fillOf(id, "t2", "2")], at(3))).toEqual([]);
  });

  it("do not decrease when older reports come late", () => {
    const { tracker, order, id } = withOrder();
    tracker.reports.report(id, reportOf(id, "PARTIALLY_FILLED", { executed: "5" }), 1, at(2));
    tracker.reports.event(eventOf("NEW", reportOf(id, "NEW")), at(3));
    expect(tracker.reports.openOrders([reportOf(id, "NEW")], 1, at(4))).toEqual([]);
    expect(order).toMatchObject({ executed: fixed("5"), status: "PARTIALLY_FILLED" });
  });

  it("ignore foreign orders", () => {
    const { tracker } = withOrder();
    const foreign = idOf(99);
    const trade = eventOf("TRADE", reportOf(foreign, "FILLED", { executed: "10" }), {
      fill: fillOf(foreign, "t1", "10"),
    });
    expect(tracker.reports.event(trade, at(1))).toEqual([]);
    expect(tracker.reports.fills([fillOf(foreign, "t1", "10")], at(1))).toEqual([]);
    expect(tracker.reports.report(foreign, reportOf(foreign, "NEW"), 1, at(1))).toEqual([]);
  });
});

describe("cancel", () => {
  function canceling(placed: CommandOutcome | "open request" = accepted) {
    const made = withOrder();
    if (placed !== "open request") made.tracker.commands.responded(1, placed, at(10));
    made.tracker.commands.cancelMade(cancelCommand(2, made.id));
    return made;
  }

  it("keeps counting an accepted cancel's order until its event, and queries it if none comes", () => {
    const { tracker, order, id } = canceling();
    expect(order.cancel).toBe("in-flight");
    tracker.commands.responded(2, accepted, at(20));
    expect(order).toMatchObject({ cancel: "accepted", phase: "working" });
    expect(fixedText(exposureOf(tracker, marketId, "BUY"))).toBe("10");
    expect(tracker.queries.nextMs()).toBe(270);
    tracker.reports.event(eventOf("CANCEL", reportOf(id, "CANCELED")), at(30));
    expect(order).toMatchObject({ phase: "ended", status: "CANCELED" });
    expect(tracker.queries.nextMs()).toBeUndefined();
    expect(exposureOf(tracker, marketId, "BUY")).toBe(0n);
  });

  it("proves by its acceptance that an order without a response was placed", () => {
    const { tracker, order } = canceling(unknown);
    tracker.commands.responded(2, accepted, at(20));
    expect(order).toMatchObject({ phase: "working", ackedAtMs: 20 });
  });

  it("changes nothing by a 404 while the placement is open, and may be made again after its response", () => {
    const { tracker, order } = canceling("open request");
    expect(tracker.commands.responded(2, refused("notFound"), at(20))).toEqual([]);
    expect(order).toMatchObject({ phase: "in-flight", cancel: "refused" });
    expect(tracker.queries.nextMs()).toBeUndefined();
    tracker.commands.responded(1, accepted, at(30));
    expect(order).toMatchObject({ phase: "working", cancel: "none" });
  });

  it("leads to a query by id after a 404 when the placement then times out", () => {
    const { tracker, order, id } = canceling("open request");
    tracker.commands.responded(2, refused("notFound"), at(20));
    tracker.commands.responded(1, unknown, at(30));
    expect(tracker.queries.nextMs()).toBe(280);
    tracker.reports.report(id, reportOf(id, "NEW"), 280, at(290));
    expect(order).toMatchObject({ phase: "working", cancel: "none" });
  });

  it("leads to a query by id at once when refused, and may be made again if the order is open", () => {
    const { tracker, order, id } = canceling();
    tracker.commands.responded(2, refused("invalid"), at(20));
    expect(order).toMatchObject({ phase: "working", cancel: "refused", queryAtMs: 20 });
    // A query from before the refusal proves nothing.
    tracker.reports.report(id, reportOf(id, "NEW"), 19, at(25));
    expect(order.cancel).toBe("refused");
    tracker.reports.report(id, reportOf(id, "NEW"), 21, at(26));
    expect(order).toMatchObject({ cancel: "none", queryAtMs: undefined });
    // The next refusal leads to a query after a longer wait.
    tracker.commands.cancelMade(cancelCommand(3, id));
    tracker.commands.responded(3, refused("unauthorized"), at(30));
    expect(order.queryAtMs).toBe(280);
    tracker.reports.report(id, reportOf(id, "FILLED", { executed: "10" }), 281, at(282));
    expect(order).toMatchObject({ phase: "ended", status: "FILLED" });
  });

  it("leads to a query by id when its outcome is unknown", () => {
    const { tracker, order, id } = canceling();
    tracker.commands.responded(2, unknown, at(5000));
    expect(order).toMatchObject({ cancel: "unknown", queryAtMs: 5250 });
    tracker.reports.report(id, reportOf(id, "NEW"), 5250, at(5260));
    expect(order.cancel).toBe("none");
  });

  it("may be made again at once when it was not sent or hit the rate limit", () => {
    for (const outcome of [notSent, refused("rateLimited"), refused("nonceUsed")]) {
      const { tracker, order } = canceling();
      tracker.commands.responded(2, outcome, at(20));
      expect(order).toMatchObject({ cancel: "none", queryAtMs: undefined });
    }
  });

  it("may be made again after an acceptance without effect once it is overdue and the order is then shown open", () => {
    const { tracker, order, id } = canceling();
    tracker.commands.responded(2, accepted, at(20));
    tracker.reports.report(id, reportOf(id, "NEW"), 300, at(310));
    expect(order.cancel).toBe("accepted");
    expect(tracker.queries.nextMs()).toBeGreaterThan(310);
    expect(warnings(tracker.commands.overdue(2, at(1_020)))).toEqual([]);
    expect(order.cancel).toBe("accepted");
    const shown = tracker.reports.report(id, reportOf(id, "NEW"), 1_020, at(1_100));
    expect(warnings(shown)).toEqual(["CANCEL_WITHOUT_EFFECT"]);
    expect(order.cancel).toBe("none");
  });

  it("ignores a late response to an older cancel", () => {
    const { tracker, order, id } = canceling();
    tracker.commands.cancelMade(cancelCommand(3, id));
    tracker.commands.responded(2, refused("invalid"), at(20));
    expect(order).toMatchObject({ cancel: "in-flight", cancelIntent: 3 });
  });
});

describe("open orders", () => {
  it("cause a query for a missing working order, and end nothing", () => {
    const { tracker, order } = withOrder();
    tracker.commands.responded(1, accepted, at(10));
    tracker.reports.openOrders([], 11, at(20));
    expect(order.phase).toBe("working");
    expect(tracker.queries.due(at(20))).toEqual([order]);
  });

  it("cause no query for orders that were acknowledged after the list's request, or that have no response", () => {
    const { tracker } = withOrder();
    tracker.reports.openOrders([], 5, at(9));
    tracker.commands.responded(1, accepted, at(10));
    tracker.reports.openOrders([], 10, at(20));
    expect(tracker.queries.due(at(20))).toEqual([]);
  });

  it("confirm orders without a response, and tell foreign ones", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, unknown, at(10));
    tracker.reports.openOrders([reportOf(idOf(50), "NEW"), reportOf(id, "NEW")], 20, at(30));
    expect(order.phase).toBe("working");
    expect(tracker.queries.nextMs()).toBeUndefined();
    expect(tracker.sizes.live).toBe(1);
    expect(tracker.reports.foreign.open).toMatchObject([{ orderId: idOf(50) }]);
  });

  it("make an order live again that an event had ended, when they were requested after that", () => {
    const { tracker, order, id } = withOrder();
    tracker.reports.event(eventOf("CANCEL", reportOf(id, "CANCELED")), at(10));
    expect(tracker.reports.openOrders([reportOf(id, "NEW")], 9, at(20))).toEqual([]);
    expect(order.phase).toBe("ended");
    const changes = tracker.reports.openOrders([reportOf(id, "NEW")], 11, at(20));
    expect(warnings(changes)).toEqual([]);
    expect(order).toMatchObject({ phase: "working", status: "NEW", cancel: "none" });
    // Only a list does: a query by id may be answered late.
    tracker.reports.event(eventOf("CANCEL", reportOf(id, "CANCELED")), at(30));
    tracker.reports.report(id, reportOf(id, "NEW"), 31, at(32));
    expect(order).toMatchObject({ phase: "ended", status: "CANCELED" });
    expect(tracker.queries.nextMs()).toBeUndefined();
  });

  it("do not show pending orders, which are queried by id instead", () => {
    const { tracker, order, id } = withOrder();
    tracker.commands.responded(1, accepted, at(10));
    tracker.reports.openOrders([], 11, at(20));
    tracker.reports.report(id, reportOf(id, "PENDING_CANCEL"), 21, at(22));
    expect(order).toMatchObject({ phase: "working", status: "PENDING_CANCEL" });
    expect(tracker.queries.nextMs()).toBeGreaterThan(22);
  });
});

describe("restart", () => {
  const saved = {
    orderId: idOf(5),
    nonce: 1_800_000_000_000,
    strategy: "maker",
    marketId,
    side: "SELL",
    price: 101,
    quantity: "10",
    executed: "0",
    tradeIds: [],
  } as const;

  it("counts open orders of an earlier run, and queries them at once", () => {
    const tracker = makeTracker();
    const [order] = tracker.restore([saved, saved], at(1000));
    expect(order).toMatchObject({ intent: -1, phase: "unknown", madeAtMs: saved.nonce });
    expect(tracker.live()).toHaveLength(1);
    expect(fixedText(exposureOf(tracker, marketId, "SELL"))).toBe("10");
    expect(tracker.queries.due(at(1000))).toEqual([order]);
    tracker.reports.report(saved.orderId, "absent", 1001, at(1002));
    expect(order?.phase).toBe("unknown");
    tracker.reports.report(saved.orderId, "absent", 11_000, at(11_001));
    expect(order?.phase).toBe("ended");
  });

  it("does not book fills again that the earlier run had booked", () => {
    const tracker = makeTracker();
    tracker.restore([{ ...saved, executed: "4", tradeIds: ["t1"] }], at(1000));
    const known = fillOf(saved.orderId, "t1", "4", { side: "SELL" });
    const fresh = fillOf(saved.orderId, "t2", "6", { side: "SELL" });
    expect(fills(tracker.reports.fills([known, fresh], at(1001)))).toEqual(["t2"]);
    expect(tracker.byId(saved.orderId)).toMatchObject({ phase: "ended", status: "FILLED" });
  });
});

describe("bounds", () => {
  it("forget the oldest ended orders with their trades, never live ones", () => {
    const tracker = makeTracker({ maxEnded: 3 });
    tracker.commands.place(placeCommand(1), at(0));
    tracker.commands.signed(1, idOf(1));
    for (let intent = 2; intent <= 20; intent += 1) {
      tracker.commands.place(placeCommand(intent), at(intent));
      tracker.commands.signed(intent, idOf(intent));
      tracker.reports.fills([fillOf(idOf(intent), `t${intent}`, "10")], at(intent));
    }
    expect(tracker.sizes).toMatchObject({ live: 1, ended: 3 });
    expect(tracker.byId(idOf(17))).toBeUndefined();
    expect(tracker.byIntent(17)).toBeUndefined();
    expect(tracker.byId(idOf(18))?.status).toBe("FILLED");
    expect(tracker.byId(idOf(1))?.phase).toBe("in-flight");
  });
});
