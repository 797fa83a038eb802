import { expect, test } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { beyondLostNonces, LastNonces } from "../../src/runtime/last-nonces.ts";
import { UnrecordedNonces } from "../../src/runtime/unrecorded-nonces.ts";
import { idOf } from "../journal/journal-fixture.ts";

const JOURNAL_HIGHEST = 1_700_000_000_000;
const orderIds = [idOf(1), idOf(2), idOf(3)];

const clockAt = (nowMs: number): Clock => ({
  nowMs: () => unixMs(nowMs),
  monotonicUs: () => nowMs * 1000,
});

function recordedAt(nowMs: number): LastNonces {
  return new LastNonces(clockAt(nowMs), beyondLostNonces(JOURNAL_HIGHEST), [0], orderIds);
}

function noncesAt(nowMs: number, nonceWindowMs?: number): UnrecordedNonces {
  const clock = clockAt(nowMs);
  const highWater = beyondLostNonces(JOURNAL_HIGHEST);
  const others = recordedAt(nowMs);
  return new UnrecordedNonces({ clock, highWater, orderIds, offsetMs: 0, nonceWindowMs, others });
}

test("processes that cannot write the journal never sign two commands with one nonce, whatever their clocks say", () => {
  const orderOf = new Map<number, OrderId>();
  for (const nowMs of [JOURNAL_HIGHEST - 20_000, JOURNAL_HIGHEST - 19_999, JOURNAL_HIGHEST + 5]) {
    const nonces = noncesAt(nowMs);
    const own = new Set<number>();
    for (let round = 0; round < 100; round += 1) {
      for (const orderId of orderIds) {
        const nonce = nonces.next(orderId);
        expect(orderOf.get(nonce) ?? orderId).toBe(orderId);
        orderOf.set(nonce, orderId);
        own.add(nonce);
      }
    }
    expect(own.size).toBe(300);
  }
  // Runs that fail to write while they quote are below, and later runs above.
  expect(Math.min(...orderOf.keys())).toBeGreaterThan(JOURNAL_HIGHEST + 1_000);
  expect(Math.max(...orderOf.keys())).toBeLessThanOrEqual(beyondLostNonces(JOURNAL_HIGHEST));
});

test("no two processes with the same orders sign two commands with one nonce, with or without records, near the journal's nonces or not", () => {
  const orderOf = new Map<number, OrderId>();
  const farMs = JOURNAL_HIGHEST + 60_000;
  let repeated = 0;
  const take = (nonce: number, orderId: OrderId): void => {
    if (orderOf.has(nonce)) repeated += 1;
    expect(orderOf.get(nonce) ?? orderId).toBe(orderId);
    orderOf.set(nonce, orderId);
  };
  for (const nowMs of [JOURNAL_HIGHEST, farMs, farMs - 1, farMs + 4, farMs - 7]) {
    for (const nonces of [recordedAt(nowMs), noncesAt(nowMs)]) {
      for (let round = 0; round < 10; round += 1) {
        // Not all orders are left in each round.
        const left = orderIds.filter((_, at) => (round >> at) % 2 === 0);
        for (const orderId of left) take(nonces.next(orderId), orderId);
      }
    }
  }
  expect(repeated).toBeGreaterThan(10);
});

test("after a refusal no nonce is one that the next process may give, and none of another order", () => {
  const reserved = { from: JOURNAL_HIGHEST + 1, to: beyondLostNonces(JOURNAL_HIGHEST) };
  for (const aheadMs of [-20_000, -1, 1_500, 2_001, 10_000]) {
    const nowMs = JOURNAL_HIGHEST + aheadMs;
    const nonces = noncesAt(nowMs);
    const orderOf = new Map<number, OrderId>();
    nonces.refused();
    for (let round = 0; round < 10; round += 1) {
      for (const orderId of orderIds) {
        const nonce = nonces.next(orderId);
        expect(orderOf.get(nonce) ?? orderId).toBe(orderId);
        orderOf.set(nonce, orderId);
        const ofClock = nonce - nowMs;
        // The first order's nonces begin two later at most, at the next one that three divides.
        const isNearClock = ofClock >= 0 && ofClock < 30 + 2;
        // A run that failed to write has the first thousand.
        const isOwn = nonce > reserved.from + 999 && nonce <= reserved.to;
        expect(isOwn || (isNearClock && (nonce < reserved.from || nonce > reserved.to))).toBe(true);
      }
    }
  }
});

test("a nonce follows the venue's clock where the journal's are too old, and after a refusal", () => {
  const lateMs = JOURNAL_HIGHEST + 60_000;
  // The third order has the nonces that leave 2.
  expect(noncesAt(lateMs).next(idOf(3))).toBe(lateMs);
  const soonMs = JOURNAL_HIGHEST + 10_000;
  expect(noncesAt(soonMs).next(idOf(1))).toBeLessThan(soonMs);
  expect(noncesAt(soonMs, 10_000).next(idOf(1))).toBe(soonMs);
  const refused = noncesAt(soonMs);
  refused.refused();
  expect(refused.next(idOf(1))).toBe(soonMs);
  refused.refused();
  expect(refused.next(idOf(1))).toBeLessThan(soonMs);
});
