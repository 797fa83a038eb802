import assert from "node:assert/strict";
import { test } from "node:test";
import { replayStrategy, tryStrategy } from "touchline/testing";
import strategy from "./rebalance.ts";

const balances = { base: "10", quote: "1400" };
const book = { bids: [[99.9, 50]], asks: [[100.1, 50]] } as const;

test("takes what is missing to its share in clips, and nothing within its band", async () => {
  const params = { by: "takes", band: "5%", clip: "150" } as const;
  const bot = await tryStrategy(strategy, { params, balances });
  bot.book(book); // 10 at 100 of 2400 are 42 %: 2 are missing
  bot.wait("5s");
  assert.deepEqual(
    bot.takeFills.map(({ side, quantity }) => `${side} ${quantity.toFixed(1)}`),
    ["BUY 1.5", "BUY 0.5"],
  );
  bot.book({ bids: [[104.9, 50]], asks: [[105.1, 50]] }); // 51 %
  bot.wait("5s");
  assert.equal(bot.takeFills.length, 2);
});

test("waits at the best price with quotes, and goes on after one that nobody filled", async () => {
  const bot = await tryStrategy(strategy, { params: { band: "5%", clip: "150" }, balances });
  bot.book(book);
  assert.deepEqual(bot.orders, [{ side: "BUY", price: 99.9, quantity: 1.5 }]);
  bot.book({ bids: [[98.9, 50]], asks: [[99.1, 50]] });
  bot.wait("5s");
  assert.deepEqual(
    bot.orders.map(({ side, price }) => [side, price]),
    [["BUY", 98.9]],
  );
});

test("trades in two minutes of a random market and leaves no open orders", async () => {
  const result = await replayStrategy(strategy, { market: { duration: "2m", seed: 7 } });
  assert.ok(result.fills > 0, result.warnings.join("\n"));
  assert.equal(result.ordersLeft, 0);
});
