import { describe, expect, it } from "vitest";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
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
  exposureOf,
} from "./order-fixture.ts";

const LOST_MS = 120_000;
const notFound: CommandOutcome = {
  type: "refused",
  reason: "notFound",
  message: "no such order",
  retryAfterMs: undefined,
};
const id = idOf(1);

/** Which sources of the venue are queried, each time without finding an order that it had acknowledged. */
interface VenueView {
  /** The order is queried by id. */
  readonly queries?: boolean;
  readonly lists?: boolean;
  readonly fills?: boolean;
  readonly cancels?: "never" | CommandOutcome;
  /** Seconds between two queries of every source. */
  readonly everySec?: number;
}

/** A working order that the venue then does not show for `seconds`. Returns the changes with their second. */
function after(seconds: number, view: VenueView = {}, tracker = aTracker()) {
  const { queries = true, lists = true, fills = true, cancels = notFound, everySec = 5 } = view;
  const changes: { atSec: number; change: OrderChange }[] = [];
  for (let atSec = 10; atSec <= 10 + seconds; atSec += everySec) {
    const nowMs = unixMs(atSec * 1000);
    const queriedAtMs = nowMs - 1;
    const found: OrderChange[] = [];
    if (queries) found.push(...tracker.report(id, "absent", queriedAtMs, nowMs));
    if (lists) found.push(...tracker.openOrders([], queriedAtMs, nowMs));
    if (fills) found.push(...tracker.fills([], queriedAtMs, nowMs));
    if (cancels !== "never" && atSec === 25) {
      tracker.cancelMade(cancelCommand(2, id));
      found.push(...tracker.responded(2, cancels, nowMs));
    }
    for (const change of found) changes.push({ atSec, change });
  }
  const codes = changes.flatMap(({ atSec, change }) =>
    change.type === "warning" ? [`${atSec} ${change.code}`] : [],
  );
  const order = tracker.byIntent(1);
  if (order === undefined) throw new Error("an order");
  return { tracker, order, changes, codes };
}

function aTracker(filled?: string): OrderTracker {
  const tracker = new OrderTracker({
    maxEnded: 10,
    queryFirstMs: 250,
    queryMaxMs: 10_000,
    inFlightMs: 10_000,
    lostMs: LOST_MS,
  });
  tracker.place(placeCommand(1), unixMs(0));
  tracker.signed(1, id);
  tracker.responded(1, { type: "accepted" }, unixMs(1));
  tracker.event(eventOf("NEW", reportOf(id, "NEW")), unixMs(2));
  if (filled !== undefined) {
    const fill = fillOf(id, "t1", filled);
    const report = reportOf(id, "PARTIALLY_FILLED", { executed: filled });
    tracker.event(eventOf("TRADE", report, { fill }), unixMs(3));
  }
  return tracker;
}

describe("an acknowledged order that the venue no longer knows", () => {
  it("ends as lost after two minutes, with a warning at the first absence and one at the end", () => {
    const { order, codes, tracker, changes } = after(200);
    expect(codes).toEqual(["10 ORDER_VANISHED", "130 ORDER_LOST"]);
    expect(changes).toContainEqual({
      atSec: 130,
      change: expect.objectContaining({ type: "order", status: "LOST" }),
    });
    expect(order).toMatchObject({ phase: "ended", isLost: true });
    expect(exposureOf(tracker, marketId, "BUY")).toBe(ZERO);
    expect(tracker.live()).toEqual([]);
    expect(tracker.nextQueryMs()).toBeUndefined();
  });

  const incompleteEvidence: readonly (readonly [string, VenueView])[] = [
    ["no query by id was sent", { queries: false }],
    ["no list of open orders arrived", { lists: false }],
    ["no list of fills arrived", { fills: false }],
    ["no cancel of it was sent", { cancels: "never" }],
    ["its cancel got no response", { cancels: { type: "unknown", message: "" } }],
    ["its cancel was accepted", { cancels: { type: "accepted" } }],
    [
      "its cancel was refused for another reason",
      {
        cancels: { type: "refused", reason: "unauthorized", message: "", retryAfterMs: undefined },
      },
    ],
    ["only a few queries were sent", { everySec: 30 }],
  ];
  it.each(incompleteEvidence)("keeps counting when %s", (_why, view) => {
    const { order, tracker } = after(230, view);
    expect(order.phase).toBe("working");
    expect(exposureOf(tracker, marketId, "BUY")).toBe(fixed("10"));
  });

  it.each([
    ["got no response", { type: "unknown", message: "" }],
    ["was accepted", { type: "accepted" }],
    [
      "was refused for another reason",
      { type: "refused", reason: "invalid", message: "nonce", retryAfterMs: undefined },
    ],
  ] as const)("may be canceled again when a cancel of it %s", (_why, outcome) => {
    const { order, tracker } = after(60, { cancels: outcome });
    expect(order.cancel).toBe("none");
    tracker.cancelMade(cancelCommand(3, id));
    tracker.responded(3, notFound, unixMs(71_000));
    for (let atSec = 72; atSec <= 260; atSec += 5) {
      const nowMs = unixMs(atSec * 1000);
      tracker.report(id, "absent", nowMs, nowMs);
      tracker.openOrders([], nowMs, nowMs);
      tracker.fills([], nowMs, nowMs);
    }
    expect(order.isLost).toBe(true);
  });

  it("is not proven lost by pages of a list of fills whose other pages follow", () => {
    const { order, tracker } = after(120, { fills: false });
    for (let atSec = 131; atSec <= 260; atSec += 1) {
      tracker.fills([], undefined, unixMs(atSec * 1000));
    }
    expect(order.phase).toBe("working");
    tracker.fills([], 260_000, unixMs(261_000));
    expect(order.isLost).toBe(true);
  });

  it("keeps counting after one lagging response, and each sign of it restarts the time", () => {
    const { order, tracker } = after(100);
    tracker.report(id, reportOf(id, "NEW"), 111_000, unixMs(111_000));
    expect(order.disappearance).toBeUndefined();
    for (let atSec = 112; atSec < 228; atSec += 1) {
      const nowMs = unixMs(atSec * 1000);
      tracker.report(id, "absent", nowMs, nowMs);
      tracker.openOrders([], nowMs, nowMs);
      tracker.fills([], nowMs, nowMs);
      expect(order.phase).toBe("working");
    }
  });

  it("keeps its fills", () => {
    const { order, changes } = after(200, {}, aTracker("4"));
    expect(order).toMatchObject({ isLost: true, executed: fixed("4"), filled: fixed("4") });
    expect(changes.filter(({ change }) => change.type === "fill")).toEqual([]);
  });

  it.each([
    [
      "an event",
      (tracker: OrderTracker) =>
        tracker.event(eventOf("NEW", reportOf(id, "NEW")), unixMs(300_000)),
    ],
    [
      "a list",
      (tracker: OrderTracker) =>
        tracker.openOrders([reportOf(id, "NEW")], 299_000, unixMs(300_000)),
    ],
    [
      "a fill",
      (tracker: OrderTracker) => tracker.fills([fillOf(id, "t9", "1")], 299_000, unixMs(300_000)),
    ],
  ])("counts again, with a warning, when %s shows it after all", (_how, show) => {
    const { order, tracker } = after(200);
    const changes = show(tracker);
    expect(changes).toContainEqual(expect.objectContaining({ code: "ORDER_APPEARED" }));
    expect(order).toMatchObject({ phase: "working", isLost: false });
    expect(exposureOf(tracker, marketId, "BUY") > ZERO).toBe(true);
  });

  it("of an earlier run is not given up after one response either", () => {
    const tracker = new OrderTracker({ maxEnded: 10, queryFirstMs: 250, queryMaxMs: 10_000 });
    const saved = {
      orderId: id,
      nonce: 1_800_000_000_000,
      strategy: "maker",
      marketId,
      side: "BUY" as const,
      price: 100,
      quantity: "10",
      executed: "0",
      tradeIds: [],
    };
    const [known, unheard] = tracker.restore(
      [
        { ...saved, isAcknowledged: true },
        { ...saved, orderId: idOf(2) },
      ],
      unixMs(0),
    );
    tracker.report(id, "absent", 15_000, unixMs(15_001));
    tracker.report(idOf(2), "absent", 15_000, unixMs(15_001));
    expect([known?.phase, unheard?.phase]).toEqual(["unknown", "ended"]);
  });
});
