import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateBudget, type RequestKind, type SlotKind } from "../../src/execution/rate-budget.ts";

const limits = fc.record({
  perSecond: fc.integer({ min: 1, max: 200 }),
  burst: fc.integer({ min: 1, max: 60 }),
  concurrency: fc.integer({ min: 1, max: 16 }),
});
const kind = fc.constantFrom<RequestKind>("cancel", "place", "read", "settlingRead");
const attempts = fc.array(
  fc.record({
    waitMs: fc.integer({ min: 0, max: 400 }),
    kind,
    times: fc.integer({ min: 1, max: 30 }),
  }),
  { minLength: 1, maxLength: 60 },
);
const start = 1_700_000_000_000;

function freed(of: RequestKind): SlotKind {
  if (of === "read" || of === "settlingRead") return "read";
  return of === "cancel" ? "cancel" : "place";
}

describe("rate budget, any traffic", () => {
  it("never lets more than burst + perSecond × t pass in any window of t", () => {
    fc.assert(
      fc.property(limits, attempts, (limit, traffic) => {
        const budget = new RateBudget(limit);
        const passedAtMs: number[] = [];
        let nowMs = start;
        for (const attempt of traffic) {
          nowMs += attempt.waitMs;
          for (let time = 0; time < attempt.times; time += 1) {
            if (!budget.tryTake(attempt.kind, nowMs)) continue;
            passedAtMs.push(nowMs);
            budget.release(freed(attempt.kind));
          }
        }
        let most = Number.NEGATIVE_INFINITY;
        for (const [first, fromMs] of passedAtMs.entries()) {
          for (let last = first; last < passedAtMs.length; last += 1) {
            const spanMs = (passedAtMs[last] ?? 0) - fromMs;
            most = Math.max(most, (last - first + 1) * 1000 - limit.perSecond * spanMs);
          }
        }
        expect(most).toBeLessThanOrEqual(limit.burst * 1000);
      }),
      { numRuns: 200 },
    );
  });

  it("never has more requests open than slots, nor more reads than half of the shared ones", () => {
    fc.assert(
      fc.property(limits, fc.array(fc.tuple(kind, fc.boolean())), (limit, steps) => {
        const budget = new RateBudget({ ...limit, perSecond: 1000, burst: 1000 });
        const open: RequestKind[] = [];
        for (const [of, ends] of steps) {
          if (budget.tryTake(of, start)) open.push(of);
          expect(open.length).toBeLessThanOrEqual(limit.concurrency);
          const reads = open.filter((request) => freed(request) === "read").length;
          expect(reads).toBeLessThanOrEqual(Math.max(1, limit.concurrency / 2));
          expect(budget.open).toBe(open.length);
          const ended = ends ? open.shift() : undefined;
          if (ended !== undefined) budget.release(freed(ended));
        }
      }),
    );
  });

  it("never makes a cancel wait for other traffic, however greedy and however stuck", () => {
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.record({ greed: attempts, waitMs: fc.integer({ min: 0, max: 2000 }) }), {
          minLength: 1,
          maxLength: 12,
        }),
        (drawn, rounds) => {
          const limit = {
            ...drawn,
            burst: Math.max(2, drawn.burst),
            concurrency: Math.max(2, drawn.concurrency),
          };
          const budget = new RateBudget(limit);
          let nowMs = start;
          for (const { greed, waitMs } of rounds) {
            // Others take what they get, at every moment, and never give a slot back.
            for (const attempt of greed) {
              nowMs += attempt.waitMs;
              for (let time = 0; time < attempt.times; time += 1) {
                if (attempt.kind !== "cancel" && attempt.kind !== "settlingRead")
                  budget.tryTake(attempt.kind, nowMs);
              }
            }
            nowMs += waitMs;
            budget.tryTake("place", nowMs);
            expect(budget.tryTake("cancel", nowMs)).toBe(true);
            budget.release("cancel");
            nowMs += Math.ceil(1000 / limit.perSecond);
          }
        },
      ),
    );
  });

  it("sends every cancel within the time after which a request hangs, and the rate, while nothing ends", () => {
    fc.assert(
      fc.property(limits, attempts, fc.integer({ min: 1, max: 100 }), (drawn, traffic, count) => {
        const budget = new RateBudget(drawn);
        let nowMs = start;
        for (const attempt of traffic) {
          nowMs += attempt.waitMs;
          for (let time = 0; time < attempt.times; time += 1) {
            budget.tryTake(attempt.kind, nowMs);
          }
        }
        const dueMs = nowMs;
        for (let sent = 0; sent < count; sent += 1) {
          nowMs = budget.nextFreeMs("cancel", nowMs);
          expect(budget.tryTake("cancel", nowMs)).toBe(true);
        }
        const rounds = Math.ceil(count / drawn.concurrency);
        const rateMs = Math.ceil((count / drawn.perSecond) * 1_000);
        expect(nowMs - dueMs).toBeLessThanOrEqual(rounds * 1_000 + rateMs + 1_000);
      }),
    );
  });

  it("opens at the very millisecond that nextFreeMs names, and not before", () => {
    fc.assert(
      fc.property(
        limits,
        attempts,
        kind,
        fc.integer({ min: 0, max: 3000 }),
        (limit, traffic, of, pauseMs) => {
          const budget = new RateBudget(limit);
          let nowMs = start;
          for (const attempt of traffic) {
            nowMs += attempt.waitMs;
            for (let time = 0; time < attempt.times; time += 1) {
              if (budget.tryTake(attempt.kind, nowMs)) budget.release(freed(attempt.kind));
            }
          }
          budget.pauseUntil(nowMs + pauseMs);
          const freeMs = budget.nextFreeMs(of, nowMs);
          expect(freeMs).toBeGreaterThanOrEqual(nowMs);
          if (freeMs > nowMs) expect(budget.tryTake(of, freeMs - 1)).toBe(false);
          expect(budget.tryTake(of, freeMs)).toBe(true);
        },
      ),
    );
  });
});
