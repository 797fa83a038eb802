import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LearnedRate } from "../../src/execution/learned-rate.ts";
import { RateBudget } from "../../src/execution/rate-budget.ts";

const now = 1_700_000_000_000;

describe("the learned rate", () => {
  it("halves at a 429, once for all of one second", () => {
    const rate = new LearnedRate(20, 1);
    expect([rate.limited(now), rate.perSecond]).toEqual([true, 10]);
    expect([rate.limited(now + 999), rate.perSecond]).toEqual([false, 10]);
    expect([rate.limited(now + 1000), rate.perSecond]).toEqual([true, 5]);
  });

  it("grows back by a fiftieth of the configured rate each second in which a request waits", () => {
    const rate = new LearnedRate(20, 1);
    rate.limited(now);
    expect([rate.wanted(now + 999), rate.perSecond]).toEqual([false, 10]);
    expect([rate.wanted(now + 60_000), rate.perSecond]).toEqual([true, 10.4]);
    expect([rate.wanted(now + 60_999), rate.perSecond]).toEqual([false, 10.4]);
    for (let second = 0; second < 60; second += 1) rate.wanted(now + 70_000 + second * 1000);
    expect(rate.perSecond).toBe(20);
  });

  it("stays between the floor and the configured rate, whatever happens", () => {
    const steps = fc.array(
      fc.record({
        moveMs: fc.integer({ min: -5_000, max: 20_000 }),
        what: fc.constantFrom("limited", "wanted"),
      }),
    );
    fc.assert(
      fc.property(steps, fc.double({ min: 0.1, max: 30, noNaN: true }), (drawn, floor) => {
        const rate = new LearnedRate(20, floor);
        let nowMs = now;
        for (const { moveMs, what } of drawn) {
          nowMs += moveMs;
          if (what === "limited") rate.limited(nowMs);
          else rate.wanted(nowMs);
          expect(rate.perSecond).toBeGreaterThanOrEqual(Math.min(floor, 20));
          expect(rate.perSecond).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});

describe("a rate budget that learns", () => {
  const limit = { perSecond: 20, burst: 40, concurrency: 1000 };

  /** Cancels that pass at this moment. */
  function cancels(budget: RateBudget, nowMs: number): number {
    let count = 0;
    while (budget.tryTake("cancel", nowMs)) count += 1;
    return count;
  }

  it("is empty after a 429, and cancels pass at the lower rate", () => {
    const budget = new RateBudget(limit);
    expect(budget.limited(30_000, now)).toBe(true);
    expect(cancels(budget, now)).toBe(0);
    expect(budget.nextFreeMs("cancel", now)).toBe(now + 100);
    expect(cancels(budget, now + 1000)).toBe(10);
    expect(budget.tryTake("place", now + 29_999)).toBe(false);
    expect(budget.tryTake("place", now + 30_000)).toBe(true);
  });

  it("halves what may leave at once too", () => {
    const budget = new RateBudget(limit);
    budget.limited(undefined, now);
    expect(cancels(budget, now + 3_000)).toBe(20);
  });

  it("comes down to what a venue takes within seconds, and stays near it", () => {
    const budget = new RateBudget(limit);
    const taken: number[] = [];
    let venueTokens = 5;
    let refused = 0;
    for (let atMs = 0; atMs < 120_000; atMs += 10) {
      venueTokens = Math.min(5, venueTokens + 0.05);
      while (budget.tryTake("cancel", now + atMs)) {
        if (venueTokens < 1) {
          if (atMs > 10_000) refused += 1;
          budget.limited(undefined, now + atMs);
          continue;
        }
        venueTokens -= 1;
        if (atMs > 10_000) taken.push(atMs);
      }
    }
    expect(refused / (taken.length + refused)).toBeLessThan(0.1);
    expect(taken.length / 110).toBeGreaterThan(3);
  });

  it("hands on what is left, for the requests that follow", () => {
    const budget = new RateBudget({ ...limit, spent: 10 });
    expect(cancels(budget, now)).toBe(30);
    expect(budget.left(now + 500)).toEqual({ perSecond: 20, burst: 40, spent: 30 });
    const next = new RateBudget({ ...budget.left(now + 500), concurrency: 1000 });
    expect(cancels(next, now + 9_000_000)).toBe(10);
  });
});
