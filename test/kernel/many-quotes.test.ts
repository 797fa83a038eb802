import { describe, expect, it, vi } from "vitest";
import { Balances } from "../../src/orders/balances.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import { Harness, placesOf } from "./harness.ts";

describe("a plan of many quotes that risk denies", () => {
  it("sums up the needs of own orders once for all of them", () => {
    const quotes = 100;
    const bot = new Harness({
      decide: () =>
        setQuotes({
          bids: Array.from({ length: quotes }, (_, at) => ({ price: 1998 - at / 2, size: "0.01" })),
        }),
      config: {
        rate: { perSecond: 20, burst: 40, concurrency: 32 },
        risk: { ...defaultRisk, maxOpenOrders: 10 },
      },
    });
    expect(placesOf(bot.begin())).toHaveLength(10);
    const free = vi.spyOn(Balances.prototype, "free");
    bot.after(10, bot.depth(101, [1990, 6], []));
    bot.after(10);
    const sums = free.mock.calls.length;
    free.mockRestore();
    // Each denied quote is checked in each step. Its strategy has seen the change of the book, too.
    const denied = bot.notes.filter(({ type }) => type === "denied");
    expect(denied.length).toBeGreaterThanOrEqual(quotes - 10);
    expect(sums).toBeGreaterThan(0);
    expect(sums).toBeLessThanOrEqual(10);
  });
});
