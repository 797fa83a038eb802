import { expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { marketId } from "../../src/domain/ids.ts";
import { readKey } from "../../src/domain/read-order.ts";
import { ReadSchedule } from "../../src/kernel/read-schedule.ts";

const retry = { readRetryMs: 250, readRetryMaxMs: 10_000 };

/** How often each kind was read in 60 s at 10 reads a second, with 30 orders in doubt that are each queried every 2 s. */
function readsOf(schedule: ReadSchedule): ReadonlyMap<string, number> {
  const count = new Map<string, number>();
  const orders = Array.from({ length: 30 }, (_, at) => `0x${at.toString(16)}` as OrderId);
  const queried = new Map<OrderId, number>();
  schedule.want({ type: "openOrders" }, 0, { periodMs: 5_000 });
  schedule.want({ type: "book", marketId: marketId("1", "2") }, 0, { periodMs: 5_000 });
  for (let nowMs = 0; nowMs < 60_000; nowMs += 100) {
    for (const orderId of orders) {
      if (nowMs - (queried.get(orderId) ?? -2_000) < 2_000) continue;
      schedule.want({ type: "order", orderId }, nowMs);
      queried.set(orderId, nowMs);
    }
    let tokens = 1;
    for (const read of schedule.emit(nowMs, () => tokens-- > 0)) {
      count.set(read.type, (count.get(read.type) ?? 0) + 1);
      schedule.responded(read.type, readKey(read), nowMs);
    }
  }
  return count;
}

test("many orders in doubt do not keep the book and the open orders from being read", () => {
  const count = readsOf(new ReadSchedule(retry));
  expect(count.get("book")).toBeGreaterThanOrEqual(5);
  expect(count.get("openOrders")).toBeGreaterThanOrEqual(5);
  expect(count.get("order")).toBeGreaterThanOrEqual(500);
});

test("reads that have waited for less than the limit go by urgency", () => {
  const schedule = new ReadSchedule(retry);
  schedule.want({ type: "openOrders" }, 0);
  schedule.want({ type: "order", orderId: "0x1" as OrderId }, 900);
  expect(schedule.emit(999, () => true).map(({ type }) => type)).toEqual(["order", "openOrders"]);
});

test("a read that failed in a silence of the venue is sent again with its next message, every other one after its wait", () => {
  const failure = { read: "openOrders", key: "", retryAfterMs: undefined } as const;
  const sentAgain = (lastMessageMs: number, retryAfterMs?: number, failedMs = 2_000): boolean => {
    const schedule = new ReadSchedule(retry);
    schedule.want({ type: "openOrders" }, 1_000);
    schedule.emit(1_000, () => true);
    schedule.failed({ ...failure, retryAfterMs }, { nowMs: failedMs, lastMessageMs });
    schedule.received(failedMs + 1);
    return schedule.emit(failedMs + 1, () => true).length > 0;
  };
  expect(sentAgain(999)).toBe(true);
  expect(sentAgain(1_000)).toBe(false);
  expect(sentAgain(999, 500)).toBe(false);
  // The stream goes on while reads fail at once.
  expect(sentAgain(999, undefined, 1_020)).toBe(false);
});
