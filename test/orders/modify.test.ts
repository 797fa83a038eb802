import { describe, expect, it } from "vitest";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { OrderChange } from "../../src/orders/order-change.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { mayBeModified } from "../../src/orders/tracked-order.ts";
import {
  eventOf,
  fillOf,
  idOf,
  marketId,
  placeCommand,
  reportOf,
  exposureOf,
} from "./order-fixture.ts";

/** A modify involves two orders: the original and its replacement (D23). */

const at = unixMs;
const accepted: CommandOutcome = { type: "accepted" };
const refused: CommandOutcome = {
  type: "refused",
  reason: "invalid",
  message: "it is FILLED",
  retryAfterMs: undefined,
};

/** Order 1, 10 at 100, works. A modify of it to 12 at 101, with intent and id 2, is signed. */
function modified() {
  const tracker = new OrderTracker({
    maxEnded: 10,
    queryFirstMs: 250,
    queryMaxMs: 4000,
    inFlightMs: 10_000,
  });
  const original = tracker.commands.place(placeCommand(1), at(0));
  tracker.commands.signed(1, idOf(1));
  tracker.commands.responded(1, accepted, at(1));
  expect(mayBeModified(original)).toBe(true);
  const replacement = tracker.commands.modifyMade(
    {
      type: "modify",
      intent: 2,
      nonce: 1_800_000_000_002,
      strategy: "maker",
      orderId: idOf(1),
      marketId,
      side: "BUY",
      newPrice: 101,
      newQty: fixed("12"),
    },
    at(10),
  );
  tracker.commands.signed(2, idOf(2));
  const exposure = (): string => fixedText(exposureOf(tracker, marketId, "BUY"));
  const canceled = (executed = "0") =>
    tracker.reports.event(eventOf("CANCEL", reportOf(idOf(1), "CANCELED", { executed })), at(20));
  const isNew = (quantity: string, price = "101") =>
    tracker.reports.event(eventOf("NEW", reportOf(idOf(2), "NEW", { quantity, price })), at(21));
  return { tracker, original, replacement, exposure, canceled, isNew };
}

function warnings(changes: readonly OrderChange[]): string[] {
  return changes.flatMap((change) => (change.type === "warning" ? [change.code] : []));
}

describe("modify", () => {
  it("counts both orders until the size of the replacement is read back", () => {
    const { tracker, original, replacement, exposure, canceled, isNew } = modified();
    expect(exposure()).toBe("22");
    expect(mayBeModified(original)).toBe(false);
    tracker.commands.responded(2, accepted, at(15));
    expect(original.cancel).toBe("accepted");
    expect(replacement.phase).toBe("working");
    canceled();
    expect(original.status).toBe("CANCELED");
    // The venue's replacement may be larger than requested.
    expect(exposure()).toBe("22");
    expect(mayBeModified(replacement)).toBe(false);
    expect(warnings(isNew("12"))).toEqual([]);
    expect(exposure()).toBe("12");
    expect(mayBeModified(replacement)).toBe(true);
    expect(tracker.queries.nextMs()).toBeUndefined();
    expect(tracker.ownQuantityByPrice(marketId, "BUY")).toEqual(new Map([[101, 12]]));
  });

  it("queries the replacement by id when no event shows its size", () => {
    const { tracker, replacement, exposure, canceled } = modified();
    tracker.commands.responded(2, accepted, at(15));
    canceled();
    expect(tracker.queries.due(at(265))).toEqual([replacement]);
    tracker.queries.queried(replacement, at(265));
    const report = reportOf(idOf(2), "NEW", { quantity: "12", price: "101" });
    expect(warnings(tracker.reports.report(idOf(2), report, 265, at(300)))).toEqual([]);
    expect(exposure()).toBe("12");
    expect(tracker.queries.nextMs()).toBeUndefined();
  });

  it("makes the replacement smaller by a fill before it, without a warning", () => {
    const { tracker, replacement, exposure, canceled, isNew } = modified();
    const fill = fillOf(idOf(1), "t1", "3");
    const partly = reportOf(idOf(1), "PARTIALLY_FILLED", { executed: "3" });
    tracker.reports.event(eventOf("TRADE", partly, { fill }), at(18));
    canceled("3");
    expect(warnings(isNew("9"))).toEqual([]);
    expect(fixedText(replacement.quantity)).toBe("9");
    expect(exposure()).toBe("9");
  });

  it("warns when the venue made a different order than requested, and counts that one", () => {
    const sizes = modified();
    sizes.canceled();
    expect(warnings(sizes.isNew("15"))).toEqual(["MODIFY_DIFFERS"]);
    expect(sizes.exposure()).toBe("15");
    const fill = fillOf(idOf(2), "t1", "15", { price: "101" });
    const filled = reportOf(idOf(2), "FILLED", { quantity: "15", executed: "15", price: "101" });
    const changes = sizes.tracker.reports.event(eventOf("TRADE", filled, { fill }), at(30));
    expect(changes.some(({ type }) => type === "fill")).toBe(true);
    expect(sizes.exposure()).toBe("0");
    const prices = modified();
    prices.canceled();
    expect(warnings(prices.isNew("12", "100"))).toEqual(["MODIFY_DIFFERS"]);
    expect(prices.tracker.ownQuantityByPrice(marketId, "BUY")).toEqual(new Map([[100, 12]]));
  });

  it("reads the size back from the first report, even if that is a fill", () => {
    const { tracker, canceled, exposure } = modified();
    canceled();
    const fill = fillOf(idOf(2), "t1", "14", { price: "101" });
    const partly = reportOf(idOf(2), "PARTIALLY_FILLED", {
      quantity: "20",
      executed: "14",
      price: "101",
    });
    const changes = tracker.reports.event(eventOf("TRADE", partly, { fill }), at(30));
    expect(warnings(changes)).toEqual(["MODIFY_DIFFERS"]);
    expect(exposure()).toBe("6");
  });

  it("makes no order when refused, and queries the original", () => {
    const { tracker, original, replacement, exposure } = modified();
    tracker.commands.responded(2, refused, at(15));
    expect(replacement).toMatchObject({ phase: "ended", status: undefined });
    expect(original.cancel).toBe("refused");
    expect(exposure()).toBe("10");
    expect(tracker.queries.due(at(15))).toEqual([original]);
    tracker.reports.report(idOf(1), reportOf(idOf(1), "NEW"), 16, at(20));
    expect(original.cancel).toBe("none");
    expect(mayBeModified(original)).toBe(true);
  });

  it("changes nothing when not sent", () => {
    const { tracker, original, replacement, exposure } = modified();
    tracker.commands.responded(2, { type: "not-sent", message: "refused" }, at(15));
    expect(replacement).toMatchObject({ phase: "ended", status: undefined });
    expect(mayBeModified(original)).toBe(true);
    expect(exposure()).toBe("10");
  });

  it("leaves both orders in doubt without a response until they are queried by id", () => {
    const { tracker, original, replacement, exposure } = modified();
    tracker.commands.responded(2, { type: "unknown", message: "timed out" }, at(5000));
    expect(exposure()).toBe("22");
    expect(new Set(tracker.queries.due(at(5250)))).toEqual(new Set([original, replacement]));
    tracker.reports.report(idOf(2), "absent", 5250, at(5300));
    expect(exposure()).toBe("22");
    tracker.reports.report(idOf(2), "absent", 15_001, at(15_010));
    expect(replacement.phase).toBe("ended");
    tracker.reports.report(idOf(1), reportOf(idOf(1), "NEW"), 15_001, at(15_010));
    expect(exposure()).toBe("10");
    expect(mayBeModified(original)).toBe(true);
  });

  it("ends the original even when the replacement is rejected", () => {
    const { tracker, exposure, canceled } = modified();
    canceled();
    const report = reportOf(idOf(2), "REJECTED", { quantity: "12", price: "101" });
    expect(warnings(tracker.reports.event(eventOf("REJECTED", report), at(21)))).toEqual([]);
    expect(exposure()).toBe("0");
    expect(tracker.live()).toEqual([]);
  });
});
