import { expect, it } from "vitest";
import { z } from "zod";
import {
  type Decision,
  defineStrategy,
  keepQuotes,
  setQuotes,
} from "../../src/strategy/contract.ts";
import type { MarketView, OwnFill } from "../../src/strategy/view.ts";
import { tryStrategy } from "../../src/testing/index.ts";

async function scripted(say: (view: MarketView) => Decision, latency = "0ms") {
  const fills: OwnFill[] = [];
  let view: MarketView | undefined;
  const definition = defineStrategy({
    name: "scripted",
    params: z.strictObject({}),
    init: () => ({}),
    decide(input) {
      ({ view } = input);
      fills.push(...view.fills);
      return say(view);
    },
  });
  const delays = { entry: latency, response: latency, feed: latency };
  const bot = await tryStrategy(definition, {
    balances: { base: "10", quote: "10000" },
    latency: delays,
  });
  return { bot, fills, takes: () => view?.takes };
}

const bids = [[99, 5]] as const;
const asks = [
  [100, 1],
  [100.1, 2],
  [101, 50],
] as const;
const buy = { name: "in", side: "BUY", size: "4", maxSlippage: 0.005 } as const;

it("a take walks the book up to its worst price, as a taker", async () => {
  const { bot, fills, takes } = await scripted(() => setQuotes({ takes: [buy] }));
  bot.book({ bids, asks });
  bot.wait("2s");
  expect(bot.fills).toEqual([
    { side: "BUY", price: 100, quantity: 1 },
    { side: "BUY", price: 100.1, quantity: 2 },
  ]);
  bot.book({ bids, asks: [[102, 1]] });
  expect(fills).toMatchObject([
    { role: "take", take: "in", isMaker: false },
    { role: "take", take: "in", isMaker: false },
  ]);
  const [take] = takes() ?? [];
  expect(take).toMatchObject({ name: "in", state: "over", reason: undefined });
  expect([take?.executed, take?.fees].map(String)).toEqual(["3", "0.1501"]);
  expect(take?.averagePrice?.toNumber()).toBeCloseTo(300.2 / 3, 12);
  expect(bot.balances.base).toBe("12.9985");
});

it("what the book has lost by the time a take arrives is not bought dearer, and does not stay", async () => {
  const { bot } = await scripted(() => setQuotes({ takes: [buy] }), "20ms");
  bot.book({ bids, asks });
  bot.book({
    bids,
    asks: [
      [100.1, 1],
      [101, 50],
    ],
  });
  bot.wait("20ms");
  expect(bot.fills).toEqual([{ side: "BUY", price: 100.1, quantity: 1 }]);
  bot.wait("200ms");
  expect(bot.orders).toEqual([]);
  bot.wait("5s");
  expect(bot.fills.length).toBe(1);
});

it("a market take buys its size, whatever the price has become", async () => {
  const take = { ...buy, size: "1", market: true };
  const { bot } = await scripted(() => setQuotes({ takes: [take] }), "20ms");
  bot.book({ bids, asks });
  bot.book({ bids, asks: [[105, 50]] });
  bot.wait("100ms");
  expect(bot.fills).toEqual([{ side: "BUY", price: 105, quantity: 1 }]);
});

it("workTo brings a position to its target and keeps it there", async () => {
  let position = "2.5";
  const { bot, takes } = await scripted(({ quotesPulled }) =>
    quotesPulled
      ? keepQuotes()
      : setQuotes({ workTo: { position, clip: "1", every: 100, maxSlippage: 0.02 } }),
  );
  const whole = { bids: [[99, 50]], asks: [[100, 50]] } as const;
  bot.book(whole);
  bot.wait("1s");
  expect(bot.fills.map(({ quantity }) => quantity)).toEqual([1, 1, 0.501]);
  bot.wait("10s");
  expect(takes()).toMatchObject([{ name: "workTo", state: "over" }]);
  position = "-1";
  bot.book({ ...whole, asks: [[100.1, 50]] });
  bot.wait("1s");
  const sold = bot.fills.filter(({ side }) => side === "SELL").map(({ quantity }) => quantity);
  expect(sold.reduce((sum, one) => sum + one, 0)).toBeCloseTo(3.5, 2);
});
