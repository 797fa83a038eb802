import assert from "node:assert/strict";
import { test } from "node:test";
import { replayStrategy, tryStrategy } from "touchline/testing";
import strategy from "./my-strategy.ts";

// The orders of other accounts, as [price, quantity].
const book = {
  bids: [
    [99.9, 5],
    [99.8, 10],
  ],
  asks: [
    [100.1, 5],
    [100.2, 10],
  ],
} as const;

test("quotes on both sides of the mid", async () => {
  const bot = await tryStrategy(strategy, { params: { spread: "0.05%", value: "100" } });
  bot.book(book);
  assert.deepEqual(bot.orders, [
    { side: "BUY", price: 99.95, quantity: 1 },
    { side: "SELL", price: 100.05, quantity: 1 },
  ]);
});

test("stops buying at its inventory limit", async () => {
  const bot = await tryStrategy(strategy, { params: { maxValue: "50" } });
  bot.book(book);
  bot.trade({ side: "SELL", price: 99.95, quantity: 1 }); // another account sells into our bid
  assert.deepEqual(bot.fills, [{ side: "BUY", price: 99.95, quantity: 1 }]);
  bot.wait("2s");
  assert.deepEqual(
    bot.orders.map((order) => order.side),
    ["SELL"],
  );
});

test("trades in two minutes of a random market and leaves no open orders", async () => {
  const result = await replayStrategy(strategy, { market: { duration: "2m", seed: 7 } });
  assert.ok(result.fills > 0, result.warnings.join("\n"));
  assert.equal(result.takerFills, 0);
  assert.equal(result.ordersLeft, 0);
});
