import { describe, expect, it } from "vitest";
import type { CommandOutcome } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { NonceExpiry } from "../../src/orders/nonce-expiry.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { exposureOf, idOf, marketId, placeCommand, reportOf } from "./order-fixture.ts";

const start = 1_800_000_000_000;
const timedOut: CommandOutcome = { type: "unknown", message: "time-out" };
const id = idOf(1);

/** A tracker with one placement whose request timed out after five seconds; the venue's clock is 2 s ahead. */
function timedOutPlacement({ readClock = true } = {}) {
  const nonceExpiry = new NonceExpiry(60_000);
  if (readClock) nonceExpiry.observe(2_000, 100);
  const tracker = new OrderTracker({
    maxEnded: 100,
    queryFirstMs: 250,
    queryMaxMs: 10_000,
    inFlightMs: 10_000,
    nonceExpiry,
  });
  const order = tracker.commands.place({ ...placeCommand(1), nonce: start + 2_000 }, unixMs(start));
  tracker.commands.signed(1, id);
  tracker.commands.responded(1, timedOut, unixMs(start + 5_000));
  return {
    tracker,
    order,
    /** The venue's clock is read, and is this far ahead of ours. */
    read: (offsetMs: number) => nonceExpiry.observe(offsetMs, 100),
    /** Queries the order by id, without finding it. */
    absentAt(ms: number) {
      return tracker.reports.report(id, "absent", start + ms, unixMs(start + ms + 20));
    },
  };
}

describe("a placement without a response that the venue does not know", () => {
  it("counts until its nonce has left the venue's window, by the venue's clock and our doubt about it", () => {
    const { tracker, order, absentAt, read } = timedOutPlacement();
    for (const ms of [6_000, 16_000, 30_000, 60_000, 61_000]) {
      absentAt(ms);
      expect(order.phase).toBe("unknown");
      expect(exposureOf(tracker, marketId, "BUY")).toBe(fixed("10"));
    }
    read(2_000);
    absentAt(61_200);
    expect(order.phase).toBe("ended");
    expect(exposureOf(tracker, marketId, "BUY")).toBe(0n);
  });

  it("is queried once more at the moment when its nonce has expired", () => {
    const { tracker, order, absentAt } = timedOutPlacement();
    for (let ms = 6_000; ms <= 60_000; ms += 6_000) {
      tracker.queries.queried(order, unixMs(start + ms));
      absentAt(ms);
    }
    expect(tracker.queries.nextMs()).toBe(start + 61_100);
  });

  it("never ends while the venue's clock is unknown, and is queried all the same", () => {
    const { tracker, order, absentAt, read } = timedOutPlacement({ readClock: false });
    absentAt(3_600_000);
    expect(order.phase).toBe("unknown");
    expect(tracker.queries.nextMs()).toBeGreaterThan(start + 3_600_000);
    read(0);
    absentAt(3_610_000);
    expect(order.phase).toBe("ended");
  });

  it("counts for longer when the venue's clock is set back", () => {
    const { order, absentAt, read } = timedOutPlacement();
    read(-28_000);
    absentAt(80_000);
    expect(order.phase).toBe("unknown");
    read(-28_000);
    absentAt(91_200);
    expect(order.phase).toBe("ended");
  });

  it("is an open order when it lands 55 s late", () => {
    const { tracker, order, absentAt } = timedOutPlacement();
    absentAt(50_000);
    tracker.reports.openOrders([reportOf(id, "NEW")], start + 56_000, unixMs(start + 56_050));
    expect(order.phase).toBe("working");
  });
});

describe("a placement without a response", () => {
  it("ends without a reading when its nonce is no time", () => {
    const tracker = new OrderTracker({
      maxEnded: 100,
      queryFirstMs: 250,
      queryMaxMs: 10_000,
      nonceExpiry: new NonceExpiry(60_000),
    });
    const order = tracker.commands.place({ ...placeCommand(1), nonce: 7 }, unixMs(start));
    tracker.commands.signed(1, id);
    tracker.commands.responded(1, timedOut, unixMs(start + 5_000));
    tracker.reports.report(id, "absent", start + 15_000, unixMs(start + 15_020));
    expect(order.phase).toBe("ended");
  });
});

/** A placement of an earlier run. */
const restored = {
  orderId: id,
  nonce: start,
  strategy: "maker",
  marketId,
  side: "BUY" as const,
  price: 1990,
  quantity: "1",
  executed: "0",
  tradeIds: [],
};

describe("a placement in doubt of an earlier run", () => {
  /** A run that begins `laterMs` after the placement was signed, and queries it 300 ms later without finding it. */
  function restoredAfter(laterMs: number, more: object = {}) {
    const nonceExpiry = new NonceExpiry(60_000);
    const timing = { queryFirstMs: 250, queryMaxMs: 10_000, inFlightMs: 10_000 };
    const tracker = new OrderTracker({ maxEnded: 100, ...timing, nonceExpiry });
    tracker.restore([{ ...restored, ...more }], unixMs(start + laterMs));
    nonceExpiry.observe(0, 100);
    const atMs = start + laterMs + 300;
    tracker.reports.report(id, "absent", atMs, unixMs(atMs + 20));
    return tracker;
  }

  it("is over at the first query after its nonce has expired, in a run however young", () => {
    expect(restoredAfter(72_000).live()).toEqual([]);
    expect(restoredAfter(65_000).live()).toHaveLength(1);
    expect(restoredAfter(5_000).live()).toHaveLength(1);
  });

  it("needs its time in each run when its nonce tells no time", () => {
    expect(restoredAfter(72_000, { nonce: 7 }).live()).toHaveLength(1);
  });
});
