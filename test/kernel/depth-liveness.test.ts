import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClockReading } from "../../src/kernel/channels/channel-lag.ts";
import { DepthLiveness } from "../../src/kernel/channels/depth-liveness.ts";

const timing = { checkMs: 1_000, limitMs: 10_000 };
const start = 1_767_225_600_000;
const clock: ClockReading = { offsetMs: 0, doubtMs: 0, queriedMs: start };

function synced(): DepthLiveness {
  const depth = new DepthLiveness(timing);
  depth.synced(100, start);
  return depth;
}

/** The checks that are wanted in each of the given milliseconds after the start. */
function checks(depth: DepthLiveness, ...afterMs: number[]): readonly string[] {
  return afterMs.map((ms) => depth.judge(clock, start + ms));
}

describe("a sign that the depth channel is behind", () => {
  test.each<[string, (depth: DepthLiveness) => void]>([
    ["a snapshot is newer than the book", (depth) => depth.snapshot(101, start)],
    ["a trade went through the book's touch", (depth) => depth.tradeThrough(start, start)],
    ["an own order is not in the book", (depth) => depth.orderMissing(start)],
  ])("%s: is checked after a second, and counts after the limit by itself", (reason, show) => {
    const depth = synced();
    show(depth);
    expect(checks(depth, 0, 999, 1_000, 1_001, 3_000, 10_000)).toEqual([
      "none",
      "none",
      "book",
      "none",
      "book",
      "book",
    ]);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    checks(depth, 10_001);
    expect([depth.behindSinceMs, depth.reason]).toEqual([start, reason]);
  });

  test.each<[string, (depth: DepthLiveness) => void]>([
    ["an event of the channel", (depth) => depth.event(101, start + 100, start + 200)],
    ["a book over REST with the same levels", (depth) => depth.same(101, start + 200, start + 200)],
    ["a book that was synced anew", (depth) => depth.synced(101, start + 200)],
  ])("is withdrawn by %s", (_, show) => {
    const depth = synced();
    depth.snapshot(101, start);
    depth.tradeThrough(start + 50, start);
    depth.orderMissing(start);
    show(depth);
    expect(checks(depth, 500, 5_000, 60_000)).toEqual(["none", "none", "none"]);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("is proven by a newer book over REST once it has stood for a second, not before", () => {
    const depth = synced();
    depth.snapshot(101, start);
    depth.newer(102, start + 500, start + 500);
    checks(depth, 500);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    depth.newer(103, start + 1_000, start + 1_000);
    expect(depth.behindSinceMs).toBe(start);
  });

  test("is no trade that is older than the newest event of the channel", () => {
    const depth = synced();
    depth.event(101, start + 20, start + 20);
    depth.tradeThrough(start + 20, start + 30);
    expect(depth.signSinceMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("events that are older than the limit", () => {
  test("count once the venue's clock was read again, which may have been set", () => {
    const depth = synced();
    depth.event(101, start - 20_000, start + 5);
    expect(checks(depth, 5)).toEqual(["clock"]);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    const setBack = { offsetMs: -20_000, doubtMs: 5, queriedMs: start + 6 };
    expect(depth.judge(setBack, start + 10)).toBe("none");
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    depth.judge({ offsetMs: 0, doubtMs: 5, queriedMs: start + 20 }, start + 30);
    depth.judge({ offsetMs: 0, doubtMs: 5, queriedMs: start + 40 }, start + 50);
    expect([depth.behindSinceMs, depth.reason]).toEqual([start - 19_995, "its events are late"]);
  });

  test("do not count within the doubt about the clock", () => {
    const depth = synced();
    depth.event(101, start - 10_400, start);
    const doubtful = { offsetMs: 0, doubtMs: 500, queriedMs: start + 1 };
    expect(depth.judge(doubtful, start + 5)).toBe("none");
  });
});

describe("a channel that is behind", () => {
  function behind(): DepthLiveness {
    const depth = synced();
    depth.snapshot(101, start);
    depth.newer(101, start + 1_000, start + 1_000);
    depth.judge(clock, start + 1_000);
    return depth;
  }

  test("stays behind over resyncs from REST, while snapshots go on ahead of it", () => {
    const depth = behind();
    for (let ms = 1_500; ms < 60_000; ms += 500) {
      if (ms % 10_000 === 0) depth.synced(100 + ms, start + ms);
      depth.snapshot(101 + ms, start + ms);
      depth.judge(clock, start + ms);
      expect(depth.behindSinceMs).toBe(start);
    }
  });

  test("is live with the next event that follows the snapshots", () => {
    const depth = behind();
    depth.snapshot(105, start + 1_500);
    depth.event(105, start + 1_600, start + 1_600);
    depth.judge(clock, start + 1_600);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("counts as live in a market that is quiet after a resync, as REST shows, and is behind from the first time on if it was not", () => {
    const depth = behind();
    depth.synced(101, start + 2_000);
    checks(depth, 2_000, 11_999);
    expect(depth.behindSinceMs).toBe(start);
    expect(depth.nextMs(start + 11_999)).toBe(start + 12_000);
    expect(checks(depth, 12_000)).toEqual(["book"]);
    expect(depth.behindSinceMs).toBe(start);
    depth.same(101, start + 12_050, start + 12_050);
    checks(depth, 12_050);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    depth.snapshot(102, start + 20_000);
    depth.newer(102, start + 21_000, start + 21_000);
    expect(depth.behindSinceMs).toBe(start);
  });
});

test("a channel that delivers, but late within the limit, is behind once and not again and again", () => {
  const depth = synced();
  let proofs = 0;
  for (let step = 1; step < 600; step += 1) {
    const nowMs = start + step * 100;
    depth.snapshot(100 + step, nowMs);
    // Its events are 4 s late.
    if (step > 40) depth.event(60 + step, nowMs - 4_000, nowMs);
    const before = depth.behindSinceMs;
    if (depth.judge(clock, nowMs) === "book") depth.newer(100 + step, nowMs, nowMs);
    if (before === Number.POSITIVE_INFINITY && depth.behindSinceMs !== before) proofs += 1;
  }
  expect([proofs, depth.behindSinceMs]).toEqual([1, Number.POSITIVE_INFINITY]);
});

describe("where nothing contradicts the channel", () => {
  function crossChecked(): DepthLiveness {
    const depth = new DepthLiveness({ ...timing, crossChecks: true });
    depth.synced(100, start);
    return depth;
  }

  test("silence has the book read once every limit, and a book that is the same proves nothing for two hours", () => {
    const depth = crossChecked();
    let reads = 0;
    for (let ms = 0; ms <= 7_200_000; ms += 500) {
      if (depth.judge(clock, start + ms) !== "book") continue;
      reads += 1;
      depth.same(100, start + ms, start + ms);
    }
    expect([reads, depth.behindSinceMs]).toEqual([720, Number.POSITIVE_INFINITY]);
  });

  test("a book that differs after silence proves the channel behind, unless the channel delivers the change within a second", () => {
    for (const isDelivered of [true, false]) {
      const depth = crossChecked();
      expect(checks(depth, 9_999, 10_000)).toEqual(["none", "book"]);
      depth.newer(103, start + 10_020, start + 10_020);
      if (isDelivered) depth.event(103, start + 10_010, start + 10_500);
      expect(depth.nextMs(start + 10_600)).toBe(isDelivered ? start + 20_500 : start + 11_020);
      checks(depth, 11_020);
      const sinceMs = isDelivered ? Number.POSITIVE_INFINITY : start + 10_020;
      expect(depth.behindSinceMs).toBe(sinceMs);
    }
  });

  test("a channel that lacks a change stays behind although the book over REST has not changed again", () => {
    const depth = crossChecked();
    checks(depth, 10_000);
    depth.newer(103, start + 10_020, start + 10_020);
    checks(depth, 11_020);
    depth.same(103, start + 13_000, start + 13_000);
    checks(depth, 13_000, 30_000);
    expect([depth.behindSinceMs, depth.reason]).toEqual([
      start + 10_020,
      "REST shows changes that did not come",
    ]);
    depth.event(103, start + 10_010, start + 31_000);
    depth.event(104, start + 31_000, start + 31_000);
    checks(depth, 31_000);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("a change of an own order that no event shows is a sign, and an event from before it does not withdraw that", () => {
    const depth = crossChecked();
    depth.event(101, start + 100, start + 110);
    depth.ownChange(start + 100, start + 120);
    expect(depth.signSinceMs).toBe(Number.POSITIVE_INFINITY);
    depth.ownChange(start + 500, start + 520);
    depth.event(102, start + 400, start + 600);
    expect(checks(depth, 1_519, 1_520)).toEqual(["none", "book"]);
    depth.newer(105, start + 1_540, start + 1_540);
    expect([depth.behindSinceMs, depth.reason]).toEqual([
      start + 520,
      "a change of an own order is not in the book",
    ]);
  });

  test("a second comparison in a row that differs proves its events wrong, until one with events is the same", () => {
    const depth = crossChecked();
    depth.compared(false, start + 1_000);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    depth.lost();
    depth.synced(110, start + 1_100);
    // The book of the sync itself is always the same.
    depth.compared(true, start + 1_150);
    depth.event(111, start + 1_200, start + 1_200);
    depth.compared(false, start + 1_300);
    checks(depth, 1_300, 9_000);
    expect([depth.behindSinceMs, depth.reason]).toEqual([
      start + 1_000,
      "its events make a wrong book",
    ]);
    depth.lost();
    depth.synced(120, start + 9_100);
    depth.event(121, start + 9_200, start + 9_200);
    checks(depth, 9_200);
    expect(depth.behindSinceMs).toBe(start + 1_000);
    depth.compared(true, start + 9_300);
    checks(depth, 9_300);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("a lag that comes and goes is proven once, also over new subscriptions", () => {
    const depth = crossChecked();
    let proofs = 0;
    let delivered = 0;
    for (let step = 1; step < 6_000; step += 1) {
      const nowMs = start + step * 100;
      depth.snapshot(100 + step, nowMs);
      // Between 0 and 3 s late, with a period of 5 s.
      const lag = Math.round(15 * (1 - Math.cos((2 * Math.PI * step) / 50)));
      const due = Math.max(delivered, step - lag);
      for (; delivered < due; delivered += 1) {
        const timeMs = start + (delivered + 1) * 100;
        depth.event(101 + delivered, timeMs, nowMs);
      }
      const before = depth.behindSinceMs;
      if (depth.judge(clock, nowMs) === "book") depth.newer(100 + step, nowMs, nowMs);
      if (before !== Number.POSITIVE_INFINITY || depth.behindSinceMs === before) continue;
      proofs += 1;
      depth.lost();
      depth.synced(100 + delivered, nowMs);
    }
    expect(proofs).toBe(1);
  });

  test("in an older journal none of this counts", () => {
    const depth = synced();
    depth.ownChange(start + 500, start + 520);
    depth.compared(false, start + 600);
    depth.compared(false, start + 700);
    depth.doubt();
    expect(checks(depth, 5_000, 60_000)).toEqual(["none", "none"]);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
  });
});

test("a channel that lags by less than a second is never checked, however its events and snapshots interleave", () => {
  const lags = fc.record({
    depth: fc.nat(900),
    snapshot: fc.nat(900),
    gap: fc.integer({ min: 1, max: 3_000 }),
  });
  fc.assert(
    fc.property(fc.array(lags, { maxLength: 60 }), (steps) => {
      const depth = synced();
      const events: { atMs: number; run(): void }[] = [];
      let nowMs = start;
      let depthMs = start;
      for (const [index, { depth: lagMs, snapshot, gap }] of steps.entries()) {
        nowMs += gap;
        const id = 101 + index;
        const timeMs = nowMs;
        // One channel delivers in order.
        depthMs = Math.max(depthMs, nowMs + lagMs);
        const atMs = depthMs;
        events.push({ atMs, run: () => depth.event(id, timeMs, atMs) });
        const shownMs = nowMs + snapshot;
        events.push({ atMs: shownMs, run: () => depth.snapshot(id, shownMs) });
        events.push({ atMs: shownMs, run: () => depth.tradeThrough(timeMs, shownMs) });
      }
      for (const { atMs, run } of events.toSorted((left, right) => left.atMs - right.atMs)) {
        expect(depth.judge(clock, atMs)).toBe("none");
        run();
        expect(depth.judge(clock, atMs)).toBe("none");
      }
    }),
  );
});

describe("a book over REST that was requested some time ago", () => {
  const current = { ...timing, crossChecks: true, doubtsUnshownBooks: true };

  test("with our levels withdraws no sign that arose later, but did in older journals", () => {
    for (const doubtsUnshownBooks of [true, false]) {
      const depth = new DepthLiveness({ ...current, doubtsUnshownBooks });
      depth.synced(100, start);
      depth.tradeThrough(start + 500, start + 500);
      depth.same(100, start + 400, start + 4_000);
      expect(depth.signSinceMs).toBe(doubtsUnshownBooks ? start + 500 : Number.POSITIVE_INFINITY);
      depth.same(100, start + 4_100, start + 4_200);
      expect(depth.signSinceMs).toBe(Number.POSITIVE_INFINITY);
    }
  });

  test("has the age of its request", () => {
    const depth = new DepthLiveness(current);
    depth.synced(100, start);
    depth.same(100, start + 4_000, start + 9_000);
    expect(checks(depth, 13_999, 14_000, 23_999)).toEqual(["none", "book", "none"]);
    expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    checks(depth, 24_000);
    expect([depth.behindSinceMs, depth.reason]).toEqual([start + 14_000, "nothing shows its book"]);
  });

  test("is read again at once when it says nothing about a sign that arose meanwhile", () => {
    const depth = new DepthLiveness(current);
    depth.synced(100, start);
    let queriedMs: number | undefined;
    for (let ms = start; ms < start + 60_000; ms += 100) {
      if (ms === start + 10_100) depth.ownChange(ms, ms);
      // Each response takes 4.7 s, and a read that is open is not repeated.
      if (queriedMs !== undefined && ms - queriedMs >= 4_700) {
        depth.same(100, queriedMs, ms);
        queriedMs = undefined;
      }
      if (depth.judge(clock, ms) === "book") queriedMs ??= ms;
      expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    }
  });

  test("shows a silent channel in time also when the limit is shorter than the time between two reads", () => {
    const depth = new DepthLiveness({ ...current, limitMs: 500 });
    depth.synced(100, start);
    for (let ms = start; ms < start + 30_000; ms += 100) {
      if (depth.judge(clock, ms) === "book") depth.same(100, ms, ms + 50);
      expect(depth.behindSinceMs).toBe(Number.POSITIVE_INFINITY);
    }
  });
});
