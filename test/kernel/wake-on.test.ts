import { describe, expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { keepQuotes, setQuotes, type WakeOn } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { Harness, market, start } from "./harness.ts";
import { plainly } from "./plainly.ts";

const SLEEP_MS = 500;
/** That of a simulated venue. */

/** A bot whose strategy quotes one bid once and then sleeps, with the views that it got. */
function sleeper(wakeOn: WakeOn | undefined) {
  const views: { readonly trades: number; readonly fills: number; readonly atMs: number }[] = [];
  const decide = (view: MarketView) => {
    views.push({ trades: view.trades.length, fills: view.fills.length, atMs: view.nowMs });
    const wake = {
      wakeAtMs: view.nowMs + SLEEP_MS,
      ...(wakeOn === undefined ? {} : { wakeOn }),
    };
    return views.length === 1
      ? setQuotes({ bids: [{ price: 1990, size: "1" }], ...wake })
      : keepQuotes(wake);
  };
  const bot = new Harness({ decide, mode: "replay" });
  bot.begin();
  bot.step(bot.accepted(1), bot.event(1, "NEW"));
  return { bot, views };
}

const tradeAt = (bot: Harness, tradeId: string) => ({
  type: "trade" as const,
  trade: {
    marketId: market.marketId,
    tradeId,
    price: 2000,
    quantity: 1,
    timeMs: unixMs(bot.nowMs),
    isBuyerMaker: false,
  },
});

describe("a decision's wakeOn", () => {
  test.each([
    [undefined, 4],
    ["data", 4],
    ["orders", 2],
    ["time", 1],
  ] as const)("%s: own orders and market data call the strategy so often", (wakeOn, calls) => {
    const { bot, views } = sleeper(wakeOn);
    bot.after(10, bot.depth(101, [1999, 6], []));
    bot.after(10, bot.depth(102, [1999, 7], []));
    expect(views).toHaveLength(calls);
  });

  test("what happened while the strategy slept is in its next view", () => {
    const { bot, views } = sleeper("time");
    bot.after(10, tradeAt(bot, "1"));
    bot.after(10, tradeAt(bot, "2"));
    bot.after(SLEEP_MS);
    expect(views).toHaveLength(2);
    expect(views[1]?.trades).toBe(2);
  });

  test("pulled quotes wake a strategy that waits for time alone", () => {
    const { bot, views } = sleeper("time");
    bot.after(10, { type: "operator", command: "pause" });
    bot.after(10, { type: "operator", command: "resume" });
    expect(views.length).toBeGreaterThan(1);
  });

  test.each([
    [{ type: "keep", wakeAtMs: undefined, wakeOn: "time" }, 'wakeOn "time" needs wakeAtMs'],
    [{ type: "keep", wakeAtMs: undefined, wakeOn: "never" }, 'not "data", "orders" or "time"'],
    [{ type: "keep", wakeAtMs: start - 1 }, "a time before view.nowMs"],
    [{ type: "keep", wakeAtMs: start / 1000 + 60 }, "write Unix milliseconds"],
    [{ type: "keep", wakeAtMs: 1_000 }, "such as view.nowMs + 1000"],
  ])("a decision that the contract does not allow ends the strategy: %o", (decision, message) => {
    const bot = new Harness({ decide: () => plainly(decision) });
    bot.begin();
    const fault = bot.notes.find((note) => note.type === "strategyFault");
    expect(fault?.message).toContain(message);
  });
});

describe("absorbed market data", () => {
  test("reaches book and strategy without a step, until the strategy wakes", () => {
    const { bot, views } = sleeper("time");
    const depth = bot.depth(101, [1999, 6], [2000, 3]);
    const trade = tradeAt(bot, "1");
    if (depth.type !== "depth") throw new Error("market data");
    expect(bot.kernel.absorb(depth, unixMs(bot.nowMs + 10))).toBe("yes");
    expect(bot.kernel.absorb(trade, unixMs(bot.nowMs + 20))).toBe("yes");
    expect(bot.kernel.mid(depth.event.marketId)).toBe(1999.5);
    // From here on a step has to take it.
    expect(bot.kernel.absorb(trade, unixMs(bot.nowMs + SLEEP_MS))).toBe("no");
    bot.after(SLEEP_MS);
    expect(views.at(-1)?.trades).toBe(1);
  });

  test("is refused without a change while the strategy waits for data, and where the book would be lost", () => {
    const awake = sleeper("data").bot;
    const next = awake.depth(101, [1999, 6], [2000, 3]);
    if (next.type !== "depth") throw new Error("depth");
    const mid = awake.kernel.mid(next.event.marketId);
    expect(awake.kernel.absorb(next, unixMs(awake.nowMs + 10))).toBe("no");
    expect(awake.kernel.mid(next.event.marketId)).toBe(mid);
    const { bot } = sleeper("time");
    const gap = bot.depth(105, [1999, 6], [2000, 3]);
    if (gap.type !== "depth") throw new Error("depth");
    expect(bot.kernel.absorb(gap, unixMs(bot.nowMs + 10))).toBe("no");
    expect(bot.kernel.mid(gap.event.marketId)).toBe(mid);
  });
});
