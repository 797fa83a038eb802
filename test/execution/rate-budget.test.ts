import { describe, expect, it } from "vitest";
import { RateBudget, type RequestKind } from "../../src/execution/rate-budget.ts";

const now = 1_700_000_000_000;

/** How many requests of a kind pass at one moment. */
function passes(budget: RateBudget, kind: RequestKind, nowMs: number): number {
  let count = 0;
  while (budget.tryTake(kind, nowMs)) count += 1;
  return count;
}

describe("rate budget", () => {
  it("keeps a quarter of tokens for cancels", () => {
    const budget = new RateBudget({ perSecond: 20, burst: 40, concurrency: 1000 });
    expect(passes(budget, "place", now)).toBe(30);
    expect(passes(budget, "read", now)).toBe(0);
    expect(passes(budget, "cancel", now)).toBe(10);
  });

  it("keeps a quarter of slots for cancels, and half of the others from reads", () => {
    const budget = new RateBudget({ perSecond: 1000, burst: 1000, concurrency: 8 });
    expect(passes(budget, "read", now)).toBe(3);
    expect(passes(budget, "place", now)).toBe(3);
    expect(passes(budget, "cancel", now)).toBe(2);
    expect(budget.open).toBe(8);
    budget.release("read");
    expect(budget.tryTake("read", now)).toBe(false);
    expect(budget.tryTake("cancel", now)).toBe(true);
    budget.release("cancel");
    budget.release("place");
    budget.release("place");
    expect(passes(budget, "read", now)).toBe(1);
  });

  it("lets cancels and reads pass requests that hang, within the rate, but no placement", () => {
    const budget = new RateBudget({ perSecond: 10, burst: 100, concurrency: 4 });
    expect(passes(budget, "place", now)).toBe(3);
    expect(passes(budget, "cancel", now + 400)).toBe(1);
    expect(budget.nextFreeMs("cancel", now + 400)).toBe(now + 600);
    expect(budget.tryTake("cancel", now + 599)).toBe(false);
    expect(passes(budget, "cancel", now + 600)).toBe(3);
    expect(budget.nextFreeMs("cancel", now + 600)).toBe(now + 1_000);
    expect(passes(budget, "cancel", now + 1_000)).toBe(1);
    expect(budget.tryTake("place", now + 60_000)).toBe(false);
    expect(budget.tryTake("read", now + 60_000)).toBe(true);
    expect(budget.tryTake("read", now + 60_000)).toBe(false);
    expect(budget.nextFreeMs("read", now + 60_000)).toBe(now + 60_600);
    expect(passes(budget, "cancel", now + 60_000)).toBe(3);
  });

  it.each(["read", "cancel"] as const)("lets placements pass a %s that hangs", (kind) => {
    const budget = new RateBudget({ perSecond: 10, burst: 100, concurrency: 4 });
    for (const afterMs of [0, 600, 1_200, 1_800]) {
      expect(budget.tryTake(kind, now + afterMs)).toBe(true);
    }
    expect(passes(budget, "place", now + 1_900)).toBe(2);
    expect(budget.nextFreeMs("place", now + 1_900)).toBe(now + 2_400);
  });

  it("tells requests that still hang from those that ended", () => {
    const budget = new RateBudget({ perSecond: 10, burst: 100, concurrency: 2 });
    expect(budget.tryTake("cancel", now)).toBe(true);
    expect(budget.tryTake("cancel", now + 500)).toBe(true);
    budget.release("cancel", now);
    expect(budget.tryTake("cancel", now + 550)).toBe(true);
    expect(budget.tryTake("cancel", now + 600)).toBe(false);
    expect(budget.nextFreeMs("cancel", now + 600)).toBe(now + 1_100);
  });

  it("lets only cancels pass until a 429's wait is over, and a shorter wait does not end a longer one", () => {
    const budget = new RateBudget({ perSecond: 10, burst: 10, concurrency: 10 });
    expect(budget.nextFreeMs("place", now)).toBe(now);
    budget.pauseUntil(now + 5000);
    budget.pauseUntil(now + 2000);
    expect(budget.tryTake("place", now + 4999)).toBe(false);
    expect(budget.tryTake("read", now + 4999)).toBe(false);
    expect(budget.tryTake("cancel", now + 4999)).toBe(true);
    expect(budget.nextFreeMs("place", now + 4999)).toBe(now + 5000);
    expect(budget.tryTake("place", now + 5000)).toBe(true);
  });

  it("goes on from where it was when the clock steps back an hour, pauses too", () => {
    const budget = new RateBudget({ perSecond: 10, burst: 4, concurrency: 100 });
    expect(passes(budget, "cancel", now)).toBe(4);
    budget.pauseUntil(now + 1000);
    const back = now - 3_600_000;
    expect(budget.tryTake("cancel", back)).toBe(false);
    expect(budget.tryTake("cancel", back + 99)).toBe(false);
    expect(budget.tryTake("cancel", back + 100)).toBe(true);
    expect(budget.nextFreeMs("place", back + 900)).toBe(back + 1000);
  });

  it("refuses a release that nothing answers, and limits that mean nothing", () => {
    const budget = new RateBudget({ perSecond: 10, burst: 4, concurrency: 4 });
    expect(() => budget.release("cancel")).toThrow("a release answers a take");
    budget.tryTake("cancel", now);
    expect(() => budget.release("place")).toThrow("of its kind");
    expect(() => new RateBudget({ perSecond: 0, burst: 4, concurrency: 4 })).toThrow("perSecond");
    expect(() => new RateBudget({ perSecond: 1, burst: 0.5, concurrency: 4 })).toThrow("burst");
    expect(() => new RateBudget({ perSecond: 1, burst: 1, concurrency: 0 })).toThrow("concurrency");
  });
});
