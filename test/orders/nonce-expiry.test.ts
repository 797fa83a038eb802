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
  const order = tracker.place({ ...placeCommand(1), nonce: start + 2_000 }, unixMs(start));
  tracker.signed(1, id);
  tracker.responded(1, timedOut, unixMs(start + 5_000));
  return {
    tracker,
    order,
    /** The venue's clock is read, and is this far ahead of ours. */
    readAt(ms: number, offsetMs: number) {
      nonceExpiry.observe(offsetMs, 100, start + ms);
      tracker.clockRead(unixMs(start + ms));
    },
    /** Queries the order by id, without finding it. */
    absentAt(ms: number) {
      return tracker.report(id, "absent", start + ms, unixMs(start + ms + 20));
    },
  };
}

describe("a placement without a response that the venue does not know", () => {
  it("counts until its nonce has left the venue's window, by the venue's clock and our doubt about it", () => {
    const { tracker, order, absentAt, readAt } = timedOutPlacement();
    for (const ms of [6_000, 16_000, 30_000, 60_000, 61_000]) {
      absentAt(ms);
      expect(order.phase).toBe("unknown");
      expect(exposureOf(tracker, marketId, "BUY")).toBe(fixed("10"));
    }
    readAt(61_150, 2_000);
    absentAt(61_200);
    expect(order.phase).toBe("ended");
    expect(exposureOf(tracker, marketId, "BUY")).toBe(0n);
  });

  it("is queried once more at the moment when its nonce has expired", () => {
    const { tracker, order, absentAt } = timedOutPlacement();
    for (let ms = 6_000; ms <= 60_000; ms += 6_000) {
      tracker.queried(order, unixMs(start + ms));
      absentAt(ms);
    }
    expect(tracker.nextQueryMs()).toBe(start + 61_100);
  });

  it("never ends while the venue's clock is unknown, and is queried all the same", () => {
    const { tracker, order, absentAt, readAt } = timedOutPlacement({ readClock: false });
    absentAt(3_600_000);
    expect(order.phase).toBe("unknown");
    expect(tracker.nextQueryMs()).toBeGreaterThan(start + 3_600_000);
    readAt(3_605_000, 0);
    absentAt(3_610_000);
    expect(order.phase).toBe("ended");
  });

  it("counts for longer when the venue's clock is set back", () => {
    const { order, absentAt, readAt } = timedOutPlacement();
    readAt(6_000, -28_000);
    absentAt(80_000);
    expect(order.phase).toBe("unknown");
    readAt(91_150, -28_000);
    absentAt(91_200);
    expect(order.phase).toBe("ended");
  });

  it("is an open order when it lands 55 s late", () => {
    const { tracker, order, absentAt } = timedOutPlacement();
    absentAt(50_000);
    tracker.openOrders([reportOf(id, "NEW")], start + 56_000, unixMs(start + 56_050));
    expect(order.phase).toBe("working");
  });
});

describe("a placement without a response whose nonce has expired by an old reading of the venue's clock", () => {
  it("counts until a reading shows it, and a query after that does not find the order", () => {
    const { tracker, order, absentAt, readAt } = timedOutPlacement();
    readAt(61_000, 2_000);
    absentAt(61_200);
    expect(order.phase).toBe("unknown");
    expect(tracker.awaitsClock(order, unixMs(start + 61_099))).toBe(false);
    expect(tracker.awaitsClock(order, unixMs(start + 61_100))).toBe(true);
    readAt(61_300, 2_000);
    expect(tracker.awaitsClock(order, unixMs(start + 61_300))).toBe(false);
    expect(tracker.nextQueryMs()).toBe(start + 61_300);
    absentAt(61_300);
    expect(order.phase).toBe("ended");
  });

  it("counts for longer when that reading shows that the clock was set back", () => {
    const { tracker, order, absentAt, readAt } = timedOutPlacement();
    readAt(61_200, -9_000);
    absentAt(61_250);
    expect(order.phase).toBe("unknown");
    expect(tracker.awaitsClock(order, unixMs(start + 61_300))).toBe(false);
    readAt(72_200, -9_000);
    absentAt(72_250);
    expect(order.phase).toBe("ended");
  });

  it("is queried again at once when the reading overtook the query", () => {
    const { tracker, order, absentAt, readAt } = timedOutPlacement();
    tracker.queried(order, unixMs(start + 61_100));
    readAt(61_110, 2_000);
    tracker.queried(order, unixMs(start + 61_110));
    absentAt(61_100);
    expect(order.phase).toBe("unknown");
    expect(tracker.nextQueryMs()).toBe(start + 61_121);
  });

  describe("while readings come faster than the responses to queries", () => {
    /** Readings every second from 62 s on. Responses take 1.5 s, and the next query leaves with each. */
    function run(offsetsMs: readonly number[] = []) {
      const { tracker, order, readAt } = timedOutPlacement();
      let queriedMs = 62_000;
      for (let ms = 62_000; ms <= 92_000; ms += 500) {
        if (ms % 1_000 === 0) readAt(ms, offsetsMs[ms / 1_000 - 62] ?? 2_000);
        if (ms !== queriedMs + 1_500) continue;
        tracker.report(id, "absent", start + queriedMs, unixMs(start + ms));
        if (order.phase === "ended") return queriedMs;
        queriedMs = ms;
      }
      return undefined;
    }

    it("ends by a query that follows the first reading", () => {
      expect(run()).toBe(62_000);
    });

    it("ends by a query that follows the first reading after the last one that contradicts it", () => {
      expect(run([2_000, -2_000])).toBe(65_000);
    });

    it("is queried at once after the first reading, and not again after each further one", () => {
      const { tracker, order, readAt } = timedOutPlacement();
      for (let count = 0; count < 5; count += 1) tracker.queried(order, unixMs(start + 61_900));
      readAt(62_000, 2_000);
      expect(tracker.nextQueryMs()).toBe(start + 62_000);
      tracker.queried(order, unixMs(start + 62_000));
      readAt(63_000, 2_000);
      expect(tracker.nextQueryMs()).toBe(start + 70_000);
    });
  });

  it("ends without a reading when its nonce is no time", () => {
    const tracker = new OrderTracker({
      maxEnded: 100,
      queryFirstMs: 250,
      queryMaxMs: 10_000,
      nonceExpiry: new NonceExpiry(60_000),
    });
    const order = tracker.place({ ...placeCommand(1), nonce: 7 }, unixMs(start));
    tracker.signed(1, id);
    tracker.responded(1, timedOut, unixMs(start + 5_000));
    tracker.report(id, "absent", start + 15_000, unixMs(start + 15_020));
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
    nonceExpiry.observe(0, 100, start + laterMs);
    const atMs = start + laterMs + 300;
    tracker.report(id, "absent", atMs, unixMs(atMs + 20));
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

describe("orders that an earlier run had given up", () => {
  it("do not count, and count again when the venue shows them", () => {
    const tracker = new OrderTracker({ maxEnded: 100, queryFirstMs: 250, queryMaxMs: 10_000 });
    tracker.rememberGivenUp([restored], unixMs(start));
    expect(tracker.live()).toEqual([]);
    const changes = tracker.openOrders([reportOf(id, "NEW")], start + 10, unixMs(start + 20));
    expect(changes).toContainEqual(expect.objectContaining({ code: "ORDER_APPEARED" }));
    expect(exposureOf(tracker, marketId, "BUY")).toBe(fixed("1"));
    expect(tracker.counts.foreign).toBe(0);
  });
});
