import { describe, expect, it } from "vitest";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { Fill, OrderReport, OrderStatus } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import { OrderLedger } from "../../src/journal/order-ledger.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { entry, fill, idOf, place, report } from "./journal-fixture.ts";
import { eventOf, next, quoting, reportOf } from "./killed-run.ts";

const id = idOf(1);
const listRequest: Effect = { type: "openOrders" };

function event(order: OrderReport, traded?: Fill): Input {
  const eventType = traded !== undefined ? "TRADE" : order.status === "NEW" ? "NEW" : "CANCEL";
  return {
    type: "orderEvent",
    event: { eventType, order, fill: traded, blockNumber: 1, timeMs: unixMs(1), txHash: "" },
  };
}

function ended(orderId: OrderId, status: OrderStatus = "CANCELED"): Input {
  return event(report(orderId, status));
}

function executed(status: OrderStatus, quantity: string): OrderReport {
  return { ...report(id, status), executedQty: fixed(quantity) };
}

function list(...ids: readonly number[]): Input {
  return { type: "openOrders", orders: ids.map((one) => report(idOf(one), "NEW")) };
}

function cancelOf(orderId: OrderId, intent: number): Effect {
  return { type: "cancel", intent, nonce: 9, strategy: "maker", orderId };
}

function response(intent: number, outcome: CommandOutcome): Input {
  return { type: "response", intent, outcome };
}

const refused: CommandOutcome = {
  type: "refused",
  reason: "invalid",
  message: "",
  retryAfterMs: undefined,
};

function saved(ledger: OrderLedger): readonly OrderId[] {
  return ledger.restored().orders.map(({ orderId }) => orderId);
}

/** Order 1, which the venue shows open. */
function resting(): OrderLedger {
  const ledger = new OrderLedger();
  ledger.apply(entry(1, [], [place(1)]));
  ledger.apply(entry(2, [event(report(id, "NEW"))]));
  return ledger;
}

describe("an order that only an event has ended is kept", () => {
  const canceled = (): OrderLedger => {
    const ledger = new OrderLedger();
    ledger.apply(entry(1, [], [place(1)]));
    ledger.apply(entry(2, [ended(id)], [], [id]));
    expect(saved(ledger)).toEqual([id]);
    expect(ledger.open()).toMatchObject([{ orderId: id }]);
    return ledger;
  };

  it("until a query by id confirms it", () => {
    const ledger = canceled();
    const query = (status: OrderStatus): Input => ({
      type: "order",
      orderId: id,
      report: report(id, status),
    });
    // It was requested before the end.
    ledger.apply(entry(3, [query("NEW")]));
    expect(saved(ledger)).toEqual([id]);
    ledger.apply(entry(4, [query("CANCELED")]));
    expect(ledger.restored()).toMatchObject({ nonceHighWater: place(1).nonce, orders: [] });
  });

  it("until a list that was requested since then lacks it", () => {
    const ledger = canceled();
    // It was requested before the end.
    ledger.apply(entry(3, [list()], [listRequest]));
    expect(saved(ledger)).toEqual([id]);
    ledger.apply(entry(4, [list(1)], [listRequest]));
    expect(saved(ledger)).toEqual([id]);
    ledger.apply(entry(5, [list()]));
    expect(ledger.restored()).toMatchObject({ nonceHighWater: place(1).nonce, orders: [] });
  });

  it("with the fills that come after it", () => {
    const ledger = canceled();
    ledger.apply(entry(3, [{ type: "fills", fills: [fill(id, "t1", "0.5")] }]));
    expect(ledger.restored().orders).toMatchObject([{ executed: "0.5", tradeIds: ["t1"] }]);
  });

  it("with its query to come, although an older report follows in the same batch", () => {
    const ledger = resting();
    ledger.apply(entry(3, [ended(id), list(1)], [], [id]));
    expect(ledger.open()).toMatchObject([{ orderId: id }]);
    expect(ledger.restored()).not.toHaveProperty("givenUp");
  });

  it("until a cancel of it is accepted, in either order", () => {
    for (const isFirst of [true, false]) {
      const ledger = resting();
      const accepted = response(2, { type: "accepted" });
      ledger.apply(entry(3, [], [cancelOf(id, 2)]));
      ledger.apply(entry(4, [isFirst ? ended(id) : accepted], [], isFirst ? [id] : []));
      expect(saved(ledger)).toEqual([id]);
      ledger.apply(entry(5, [isFirst ? accepted : ended(id)], [], isFirst ? [] : [id]));
      expect(saved(ledger)).toEqual([]);
    }
  });

  it("when its cancel is refused or has no response", () => {
    for (const outcome of [refused, { type: "unknown", message: "" } as const]) {
      const ledger = resting();
      ledger.apply(entry(3, [], [cancelOf(id, 2)]));
      ledger.apply(entry(4, [ended(id), response(2, outcome)], [], [id]));
      expect(saved(ledger)).toEqual([id]);
    }
  });

  it("as filled, unless all of it is executed", () => {
    const short = resting();
    short.apply(entry(3, [event(executed("FILLED", "0.5"), fill(id, "t1", "0.5"))], [], [id]));
    expect(saved(short)).toEqual([id]);
    const full = resting();
    full.apply(entry(3, [event(executed("FILLED", "2"), fill(id, "t1", "2"))], [], [id]));
    expect(saved(full)).toEqual([]);
  });

  it("for the newest 200 of them", () => {
    const ledger = new OrderLedger();
    const ids = Array.from({ length: 201 }, (_, at) => at + 1);
    ledger.apply(entry(1, [], ids.map(place)));
    const inputs = ids.map((one) => ended(idOf(one)));
    ledger.apply(entry(2, inputs, [], ids.map(idOf)));
    expect(saved(ledger)).toEqual(ids.slice(1).map(idOf));
  });

  describe("also as a leg", () => {
    const { takeProfit, stopLoss } = legIdsOf(id);
    const withLegs = (): OrderLedger => {
      const ledger = new OrderLedger();
      const tpsl = { tpLimit: 110, slTrigger: 90, slLimit: undefined };
      ledger.apply(entry(1, [], [{ ...place(1), tpsl }]));
      ledger.apply(entry(2, [event(report(id, "NEW"))]));
      return ledger;
    };

    it("that was placed, until a list lacks it", () => {
      const ledger = withLegs();
      const filled = event(executed("FILLED", "2"), fill(id, "t1", "2"));
      const placed = [takeProfit, stopLoss].map((leg) => event(report(leg, "NEW")));
      ledger.apply(entry(3, [filled, ...placed], [], [id]));
      ledger.apply(entry(4, [ended(takeProfit)], [listRequest], [takeProfit]));
      expect(saved(ledger)).toEqual([takeProfit, stopLoss]);
      ledger.apply(entry(5, [{ type: "openOrders", orders: [report(stopLoss, "NEW")] }]));
      expect(saved(ledger)).toEqual([stopLoss]);
    });

    it("that was called filled with less than its size executed", () => {
      const ledger = withLegs();
      const filled = event(executed("FILLED", "2"), fill(id, "t1", "2"));
      ledger.apply(entry(3, [filled, event(report(takeProfit, "NEW"))], [], [id]));
      ledger.apply(entry(4, [ended(takeProfit, "FILLED")], [], [takeProfit]));
      expect(saved(ledger)).toContain(takeProfit);
    });

    it("but not one that waits for its quote", () => {
      const ledger = withLegs();
      const waits = [takeProfit, stopLoss].map((leg) => event(report(leg, "PENDING_NEW")));
      const all = [id, takeProfit, stopLoss];
      ledger.apply(entry(3, waits, [cancelOf(id, 2)]));
      ledger.apply(entry(4, [response(2, { type: "accepted" }), ...all.map((one) => ended(one))]));
      expect(saved(ledger)).toEqual([]);
    });
  });

  it("for the next run, which finds it open", () => {
    const { run, id: bid } = quoting();
    run.bot.after(10, eventOf(reportOf(bid, { status: "FILLED" })));
    const second = next(run);
    second.bot.after(10, { type: "order", orderId: bid, report: reportOf(bid) });
    expect(second.saved(bid)).toEqual({ executed: "0", tradeIds: [] });
  });
});

describe("an order that was given up and returns", () => {
  it("is known to the next run once its missing fills have come", () => {
    for (const returns of [event(executed("PARTIALLY_FILLED", "0.5")), undefined]) {
      const ledger = resting();
      ledger.apply(entry(3, [event(executed("PARTIALLY_FILLED", "0.5"))]));
      // It counts as lost.
      ledger.apply(entry(4, [], [], [id]));
      expect([saved(ledger), ledger.open()]).toEqual([[id], []]);
      if (returns !== undefined) ledger.apply(entry(5, [returns]));
      ledger.apply(entry(6, [{ type: "fills", fills: [fill(id, "t1", "0.5")] }]));
      expect(saved(ledger)).toEqual([id]);
      expect(ledger.open()).toMatchObject([{ orderId: id }]);
    }
  });

  it("is known to the next run although the venue had refused it", () => {
    const { run, id: bid } = quoting({}, refused);
    expect(run.bot.kernel.sizes["live"]).toBe(0);
    run.bot.after(10, eventOf(reportOf(bid)));
    expect(run.bot.kernel.sizes["live"]).toBe(1);
    expect(run.saved(bid)).toEqual({ executed: "0", tradeIds: [] });
  });

  it("is forgotten when it was never sent", () => {
    const ledger = new OrderLedger();
    ledger.apply(entry(1, [], [place(1)]));
    ledger.apply(entry(2, [response(1, { type: "not-sent", message: "" })], [], [id]));
    expect(ledger.restored()).toMatchObject({ nonceHighWater: place(1).nonce, orders: [] });
  });
});
