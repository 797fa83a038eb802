import { expect, test } from "vitest";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import hedgedMaker from "../../strategies/hedged-maker.ts";

const params = { size: "1", profit: "0.1%" };
const calm = { bids: [[99.9, 50]], asks: [[100.1, 50]] } as const;
const wide = { bids: [[98, 50]], asks: [[102, 50]] } as const;

test("a trial has each market of a strategy: a fill in one is hedged in the other, and without its book nothing is quoted", async () => {
  const bot = await tryStrategy(hedgedMaker, { params });
  const { main, hedge } = bot.markets;
  main.book(wide);
  hedge.book(calm);
  bot.wait("2s");
  expect(main.orders.map(({ side }) => side)).toEqual(["BUY", "SELL"]);
  const [bid] = main.orders;
  main.trade({ side: "SELL", price: bid?.price ?? 0, quantity: 1 });
  bot.wait("2s");
  expect(main.fills).toMatchObject([{ side: "BUY", quantity: 1 }]);
  expect(hedge.takeFills).toMatchObject([{ side: "SELL", price: 99.9 }]);
  expect(hedge.fills).toEqual(hedge.takeFills);
  expect([main.takeFills, bot.fills]).toEqual([[], main.fills]);
  hedge.lose();
  bot.wait("2s");
  expect(main.orders).toEqual([]);
  hedge.regain();
  bot.wait("2s");
  expect(main.orders).toHaveLength(2);
});

test("markets that share a token share its balance", async () => {
  const markets = { main: "ETH/USDT", hedge: "USDT/ETH" };
  const { main, hedge } = (await tryStrategy(hedgedMaker, { params, markets })).markets;
  expect([main.market.marketId, hedge.market.marketId]).toEqual(["1_2", "2_1"]);
});

test.each([
  [{ hedge: "ETH" }, "hedge: ETH is not a market"],
  [{ other: "ETH/USDT" }, "other is not one of the strategy's markets: main, hedge"],
  [{ main: "ETH/USDT", hedge: "ETH/USDT" }, "Two of the strategy's markets are the same one"],
])("refuses the markets %j", async (markets, sentence) => {
  await expect(tryStrategy(hedgedMaker, { params, markets })).rejects.toThrow(sentence);
});

test("a random market is one market", async () => {
  await expect(replayStrategy(hedgedMaker, { params })).rejects.toThrow("a random market is one");
});
