import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import {
  ETH_USDT,
  levels,
  limit,
  market,
  NOW,
  testAddress,
  testExchange,
  testHash,
} from "../support/exchange.ts";

const [alice, bob] = [testAddress(1), testAddress(2)];
const [A, B] = [testHash(1), testHash(2)];
const flat = (...numbers: number[]): Float64Array => Float64Array.of(...numbers);
const none = flat();

describe("recorded depth (D35)", () => {
  test("levels get the recorded quantity, even at prices off the grid", () => {
    const { exchange, last } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.snapshot(flat(61837.62, 1.5, 61837.61, 2), flat(61837.63, 0.25), NOW);
    expect(levels(exchange, "BUY")).toEqual([
      [61837.62, "1.5"],
      [61837.61, "2"],
    ]);
    recorded.depth(flat(61837.62, 0, 61837.6, 4), flat(61837.63, 0.3), NOW);
    expect(levels(exchange, "BUY")).toEqual([
      [61837.61, "2"],
      [61837.6, "4"],
    ]);
    expect(levels(exchange, "SELL")).toEqual([[61837.63, "0.3"]]);
    expect(last().depth).toHaveLength(1);
    expect(exchange.blockNumber).toBe(2);
  });

  test("a second snapshot removes levels that it does not contain", () => {
    const { exchange } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.snapshot(flat(1000, 1, 999, 1), flat(1001, 1), NOW);
    recorded.snapshot(flat(999, 3), flat(1002, 1), NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "3"]]);
    expect(levels(exchange, "SELL")).toEqual([[1002, "1"]]);
  });

  test("an increase joins the back of the queue, and a decrease comes from the back first", () => {
    const { exchange } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(1000, 1), none, NOW);
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    recorded.depth(flat(1000, 3), none, NOW);
    exchange.execute(bob, market("SELL", "1.5"), NOW);
    // 1 in front, then half of hers; the 2 that came later stand behind her.
    expect(exchange.order(A)?.executedQty).toBe(fixed("0.5"));
    recorded.depth(flat(1000, 1), none, NOW);
    exchange.execute(bob, market("SELL", "0.5"), NOW);
    expect(exchange.order(A)?.status).toBe("FILLED");
  });

  test("a decrease leaves what the event says", () => {
    const { exchange } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(1000, 1), none, NOW);
    recorded.depth(flat(1000, 3), none, NOW);
    recorded.depth(flat(1000, 2.5), none, NOW);
    expect(recorded.quantityAt("BUY", 1000)).toBe(2.5);
    recorded.depth(flat(1000, 0.5), none, NOW);
    expect(levels(exchange, "BUY")).toEqual([[1000, "0.5"]]);
  });

  test("traded quantity is restored by the next event, whether or not it mentions the level", () => {
    const { exchange } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(1000, 2, 999, 5), none, NOW);
    exchange.execute(bob, market("SELL", "3"), NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "4"]]);
    recorded.depth(flat(999, 4.5), none, NOW);
    expect(levels(exchange, "BUY")).toEqual([
      [1000, "2"],
      [999, "4.5"],
    ]);
  });

  test("a recorded price that crosses an account's order fills it, and the level is as recorded", () => {
    const { exchange, last } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(999, 1), flat(1001, 1), NOW);
    exchange.execute(alice, limit("SELL", "1000", "7"), NOW, { txHash: A });
    recorded.depth(flat(1000, 0.5), flat(1001, 0), NOW);
    expect(exchange.order(A)).toMatchObject({ status: "FILLED", executedQty: fixed("7") });
    expect(last().orderEvents).toMatchObject([
      { eventType: "TRADE", fill: { isMaker: true, price: fixed("1000") } },
    ]);
    expect(levels(exchange, "BUY")).toEqual([
      [1000, "0.5"],
      [999, "1"],
    ]);
  });

  test("recorded levels never trade with each other: a crossed recording stays as recorded", () => {
    const { exchange, last } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(1000, 1), flat(1001, 1), NOW);
    recorded.depth(flat(1002, 2), none, NOW);
    expect(last().trades).toEqual([]);
    expect(levels(exchange, "BUY")[0]).toEqual([1002, "2"]);
    expect(levels(exchange, "SELL")[0]).toEqual([1001, "1"]);
  });

  test("an account's order behind a crossed recorded level is still filled", () => {
    const { exchange } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(none, flat(1001, 1), NOW);
    exchange.execute(alice, limit("SELL", "1001", "2"), NOW, { txHash: A });
    recorded.depth(flat(1001, 3), none, NOW);
    expect(exchange.order(A)?.status).toBe("FILLED");
    expect(levels(exchange, "BUY")).toEqual([[1001, "3"]]);
    expect(levels(exchange, "SELL")).toEqual([[1001, "1"]]);
  });

  test("levels that no order can have are skipped and counted", () => {
    const { exchange } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(-1, 1, Number.NaN, 1, 1000, -1, 0.123456789, 1, 999, 1), none, NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "1"]]);
    expect(recorded.ignored).toBe(4);
  });
});

describe("recorded trades (D35)", () => {
  test("a recorded trade fills orders by price and time up to its price, and prints whole", () => {
    const { exchange, last } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(999, 1), flat(1001, 1, 1002, 9), NOW);
    exchange.execute(alice, limit("SELL", "1000", "0.5"), NOW, { txHash: A });
    exchange.execute(alice, limit("SELL", "1001", "1"), NOW, { txHash: B });
    recorded.trade({ price: 1001, quantity: 4, isBuyerMaker: false }, NOW);
    expect(last().trades.map((trade) => [trade.price, fixedText(trade.quantity)])).toEqual([
      [1000, "0.5"],
      [1001, "1"],
      [1001, "1"],
      [1001, "1.5"],
    ]);
    expect(exchange.order(B)?.status).toBe("FILLED");
    expect(levels(exchange, "SELL")).toEqual([[1002, "9"]]);
    expect(levels(exchange, "BUY")).toEqual([[999, "1"]]);
  });

  test("a recorded trade with the buyer as maker is a sell", () => {
    const { exchange, last } = testExchange();
    const recorded = exchange.recordedLiquidity(ETH_USDT);
    recorded.depth(flat(999, 1), flat(1001, 1), NOW);
    recorded.trade({ price: 999, quantity: 0.25, isBuyerMaker: true }, NOW);
    expect(last().trades).toMatchObject([{ price: 999, isBuyerMaker: true }]);
  });
});

test("what the recording of a venue does not show is empty, so the first order there is filled first", () => {
  const { exchange } = testExchange();
  exchange.execute(alice, limit("BUY", "999", "1"), NOW, { txHash: A });
  exchange.flowDepth(ETH_USDT, flat(1000, 1), flat(1001, 1), NOW);
  exchange.execute(alice, limit("SELL", "1002", "1"), NOW, { txHash: B });
  exchange.flowDepth(ETH_USDT, flat(1000, 0, 999, 5), flat(1002, 5), NOW);
  exchange.flowTrade(ETH_USDT, { price: 999, quantity: 0.5, isBuyerMaker: true }, NOW);
  exchange.flowTrade(ETH_USDT, { price: 1002, quantity: 0.5, isBuyerMaker: false }, NOW);
  expect(exchange.order(A)?.executedQty).toBe(fixed("0.5"));
  expect(exchange.order(B)?.executedQty).toBe(fixed("0.5"));
  expect(exchange.ticker(ETH_USDT, NOW)).toMatchObject({ price: 1002, volume24h: fixed("1") });
});
