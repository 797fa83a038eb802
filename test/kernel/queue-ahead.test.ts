import { expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { Harness, market } from "./harness.ts";

/** A bot with one bid at 1999, where others have 5, and what its strategy sees of it. */
function queued() {
  const seen: (number | undefined)[] = [];
  const latencies: MarketView["latency"][] = [];
  const bot = new Harness({
    decide(view) {
      seen.push(view.orders[0]?.queueAhead);
      latencies.push(view.latency);
      return setQuotes({ bids: [{ price: 1999, size: "1" }] });
    },
  });
  bot.begin();
  bot.after(20, bot.accepted(1), bot.event(1, "NEW"), bot.depth(101, [1999, 6], []));
  const trade = (quantity: number) => ({
    type: "trade" as const,
    trade: {
      marketId: market.marketId,
      tradeId: String(quantity),
      price: 1999,
      quantity,
      timeMs: unixMs(bot.nowMs),
      isBuyerMaker: false,
    },
  });
  return { bot, seen, latencies, trade };
}

test("what is ahead of an order falls with trades at its price and with what others have left there", () => {
  const { bot, seen, trade } = queued();
  bot.after(10, trade(2));
  expect(seen.slice(-2)).toEqual([5, 3]);
  bot.after(10, bot.depth(102, [1999, 3.5], []));
  expect(seen.at(-1)).toBe(2.5);
  // Others that come later stand behind it.
  bot.after(10, bot.depth(103, [1999, 30], []));
  expect(seen.at(-1)).toBe(2.5);
  bot.after(10, trade(9));
  expect(seen.at(-1)).toBe(0);
});

test("the view has the time from commands to their responses", () => {
  const { latencies } = queued();
  expect(latencies[0]).toBeUndefined();
  expect(latencies.at(-1)).toEqual({ p50Ms: 20, p90Ms: 20 });
});
