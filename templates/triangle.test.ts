import assert from "node:assert/strict";
import { test } from "node:test";
import { tryStrategy } from "touchline/testing";
import strategy from "./triangle.ts";

/** BTC is 40000 in `main`, and 20.2 × 2000 = 40400 over `cross` and `other`. */
async function inThreeMarkets(latency = "0ms") {
  const bot = await tryStrategy(strategy, {
    markets: { main: "BTC/USDT", cross: "BTC/ETH", other: "ETH/USDT" },
    latency: { entry: latency },
  });
  const { main, cross, other } = bot.markets;
  main.book({ bids: [[39990, 5]], asks: [[40000, 5]] });
  other.book({ bids: [[2000, 50]], asks: [[2001, 50]] });
  cross.book({ bids: [[20.2, 5]], asks: [[20.3, 5]] });
  return { bot, main, cross, other };
}

const sum = (fills: readonly { side: string; quantity: number }[]) =>
  fills.reduce((all, { side, quantity }) => all + (side === "BUY" ? quantity : -quantity), 0);

test("takes rounds that earn more than their fees, and none when the prices agree", async () => {
  const { bot, main, cross, other } = await inThreeMarkets();
  bot.wait("50ms");
  cross.book({ bids: [[19.9, 5]], asks: [[20, 5]] });
  bot.wait("1s");
  assert.ok(sum(main.takeFills) > 0.99);
  assert.ok(Math.abs(sum(main.takeFills) + sum(cross.takeFills)) < 0.01);
  assert.ok(sum(other.takeFills) < -19.9);
  assert.ok(Number(main.balances.quote) > 1_000_300);
  const taken = main.takeFills.length;
  bot.wait("10s");
  assert.equal(main.takeFills.length, taken);
});

test("works every market back when one leg does not trade", async () => {
  const { bot, main, cross, other } = await inThreeMarkets("20ms");
  // Gone before the order is there.
  other.book({ bids: [[1990, 50]], asks: [[2001, 50]] });
  bot.wait("500ms");
  assert.deepEqual(
    [sum(main.takeFills) > 0.9, sum(cross.takeFills) < -0.9, other.takeFills.length],
    [true, true, 0],
  );
  bot.wait("5s");
  for (const { takeFills } of [main, cross, other]) assert.ok(Math.abs(sum(takeFills)) < 0.01);
});
