import assert from "node:assert/strict";
import { test } from "node:test";
import { replayStrategy, tryStrategy } from "touchline/testing";
import strategy from "./my-strategy.ts";

test("quotes in a market with both sides", async () => {
  const bot = await tryStrategy(strategy);
  bot.book({ bids: [[99.9, 5]], asks: [[100.1, 5]] });
  assert.ok(bot.orders.length > 0);
  assert.deepEqual(bot.denied, []);
});

test("trades in two minutes of a random market and leaves no open orders", async () => {
  const result = await replayStrategy(strategy, { market: { duration: "2m", seed: 7 } });
  assert.ok(result.fills > 0, result.warnings.join("\n"));
  assert.equal(result.ordersLeft, 0);
});
