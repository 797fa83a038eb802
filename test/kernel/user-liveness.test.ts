import { describe, expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import type { ClockReading } from "../../src/kernel/channels/channel-lag.ts";
import { type AwaitedEvent, UserLiveness } from "../../src/kernel/channels/user-liveness.ts";
import { hashOf } from "./harness.ts";

const start = 1_767_225_600_000;
const clock: ClockReading = { offsetMs: 0, doubtMs: 0, queriedMs: start };
const order = hashOf(1);
const NEVER = Number.POSITIVE_INFINITY;

function opened(): UserLiveness {
  const user = new UserLiveness({ checkMs: 1_000, limitMs: 10_000 });
  user.opened(start);
  return user;
}

function queries(user: UserLiveness, nowMs: number): readonly OrderId[] {
  const ids: OrderId[] = [];
  for (let id = user.nextToQuery(nowMs); id !== undefined; id = user.nextToQuery(nowMs))
    ids.push(id);
  return ids;
}

/** A channel that was proven dead a second after the start. */
function dead(): UserLiveness {
  const user = opened();
  user.expectEvent(order, "placement", start, start);
  queries(user, start + 1_000);
  user.shown(order, false, start + 1_000);
  user.judge(clock, start + 1_000);
  return user;
}

describe("an event that is awaited", () => {
  test.each<[AwaitedEvent, number]>([
    ["placement", 1_000],
    ["cancel", 1_000],
    ["trade", 500],
  ])("after a %s is queried once, after %d ms", (type, dueMs) => {
    const user = opened();
    user.expectEvent(order, type, start, start);
    expect(queries(user, start + dueMs - 1)).toEqual([]);
    expect(user.nextMs(start)).toBe(start + dueMs);
    expect(queries(user, start + dueMs)).toEqual([order]);
    expect(queries(user, start + dueMs)).toEqual([]);
  });

  test.each<[string, (user: UserLiveness) => void]>([
    ["it comes", (user) => user.event(order, start - 10, start + 20)],
    ["the venue does not know the order", (user) => user.absent(order)],
    ["the stream closes", (user) => user.closed()],
  ])("is awaited no longer when %s", (_, show) => {
    const user = opened();
    user.expectEvent(order, "placement", start, start);
    show(user);
    expect([user.size, queries(user, start + 5_000)]).toEqual([0, []]);
  });

  test("is queried again about every five seconds while no response shows the order, but not in older journals", () => {
    for (const repeatsQueries of [true, false]) {
      const user = new UserLiveness({ checkMs: 1_000, limitMs: 10_000, repeatsQueries });
      user.opened(start);
      user.expectEvent(order, "placement", start, start);
      const seconds: number[] = [];
      for (let ms = start; ms < start + 30_000; ) {
        if (queries(user, ms).length > 0) seconds.push((ms - start) / 1_000);
        if (seconds.length === 3) user.shown(order, false, ms);
        ms = Math.min(user.nextMs(ms), start + 30_000);
      }
      expect(seconds).toEqual(repeatsQueries ? [1, 5, 10] : [1]);
      user.judge(clock, start + 30_000);
      expect(user.behindSinceMs).toBe(repeatsQueries ? start : NEVER);
    }
  });

  test("is queried again together with all others, so that one list can take the place of many queries", () => {
    const user = new UserLiveness({ checkMs: 1_000, limitMs: 10_000, repeatsQueries: true });
    user.opened(start);
    const steps = new Set<number>();
    for (let ms = start; ms < start + 30_000; ms += 50) {
      const isPlaced = ms < start + 4_500 && (ms - start) % 150 === 0;
      if (isPlaced) user.expectEvent(hashOf(ms - start + 1), "placement", ms, ms);
      if (queries(user, ms).length > 0 && ms > start + 7_500) steps.add(ms - start);
    }
    expect([...steps]).toEqual([10_000, 15_000, 20_000, 25_000]);
  });

  test("is queried, but proves nothing, when a later event has come without it", () => {
    const user = opened();
    user.expectEvent(order, "placement", start, start);
    user.event(hashOf(2), start + 5, start + 20);
    expect(queries(user, start + 1_000)).toEqual([order]);
    user.shown(order, false, start + 1_000);
    user.judge(clock, start + 2_000);
    expect([user.behindSinceMs, user.size]).toEqual([NEVER, 0]);
  });

  test("proves the channel behind when REST shows what it should have told", () => {
    const user = opened();
    user.expectEvent(order, "placement", start, start);
    queries(user, start + 1_000);
    user.judge(clock, start + 60_000);
    expect(user.behindSinceMs).toBe(NEVER);
    user.shown(order, false, start + 1_000);
    user.judge(clock, start + 60_000);
    expect([user.behindSinceMs, user.reason]).toEqual([start, "an event did not come"]);
  });

  test("of a cancel is not overdue while the venue shows the order open", () => {
    const user = opened();
    user.expectEvent(order, "cancel", start, start);
    user.shown(order, false, start + 2_000);
    user.judge(clock, start + 5_000);
    expect(user.behindSinceMs).toBe(NEVER);
    user.shown(order, true, start + 6_000);
    user.judge(clock, start + 6_000);
    expect(user.behindSinceMs).toBe(start);
  });
});

test("events that are older than the limit prove the channel behind once the venue's clock was read again", () => {
  const user = opened();
  user.event(undefined, start - 20_000, start + 10);
  expect(user.judge(clock, start + 10)).toBe(true);
  expect(user.behindSinceMs).toBe(NEVER);
  expect(user.judge({ ...clock, queriedMs: start + 20 }, start + 30)).toBe(false);
  expect([user.behindSinceMs, user.reason]).toEqual([start - 20_000, "its events are late"]);
});

describe("a channel that is behind", () => {
  test("is live with the first event, in time, after the proof", () => {
    const user = dead();
    expect(user.behindSinceMs).toBe(start);
    user.event(hashOf(2), start + 2_000, start + 2_000);
    user.judge(clock, start + 2_000);
    expect(user.behindSinceMs).toBe(NEVER);
  });

  test("is on trial after a new subscription, and behind again with the first event that does not come", () => {
    const user = dead();
    user.opened(start + 5_000);
    user.judge(clock, start + 5_000);
    expect([user.behindSinceMs, user.onTrialSinceMs]).toEqual([start, start + 5_000]);
    const next = hashOf(2);
    user.expectEvent(next, "placement", start + 6_000, start + 6_000);
    user.shown(next, false, start + 7_000);
    user.judge(clock, start + 7_000);
    expect([user.behindSinceMs, user.onTrialSinceMs]).toEqual([start, undefined]);
  });

  test("counts as live after ten seconds of a trial without a sign, and is behind from the first time on if it was not", () => {
    const user = dead();
    user.opened(start + 5_000);
    expect(user.nextMs(start + 5_000)).toBe(start + 15_000);
    user.judge(clock, start + 15_000);
    expect(user.behindSinceMs).toBe(NEVER);
    user.expectEvent(order, "report", start + 30_000, start + 30_000);
    user.judge(clock, start + 31_000);
    expect(user.behindSinceMs).toBe(start);
  });
});

test("the number of awaited events is bounded", () => {
  const user = opened();
  for (let intent = 0; intent < 1_000; intent += 1) {
    user.expectEvent(hashOf(intent), "placement", start, start);
  }
  expect(user.size).toBe(256);
});
