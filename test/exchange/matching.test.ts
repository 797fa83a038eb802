import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { FEE_ACCOUNT } from "../../src/exchange/ledger.ts";
import {
  ETH,
  ETH_USDT,
  levels,
  limit,
  market,
  money,
  NOW,
  testAddress,
  testExchange,
  testHash,
  testMarket,
  USDT,
} from "../support/exchange.ts";

const [alice, bob, carol] = [testAddress(1), testAddress(2), testAddress(3)];
const [A, B, C, D] = [testHash(1), testHash(2), testHash(3), testHash(4)];

describe("price-time priority (D17)", () => {
  test("the better price trades first, then the earlier order, at the maker's price", () => {
    const { exchange, last } = testExchange();
    exchange.execute(alice, limit("SELL", "1001", "1"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW, { txHash: B });
    exchange.execute(alice, limit("SELL", "1000", "1"), NOW, { txHash: C });
    exchange.execute(carol, limit("BUY", "1001", "2.5"), NOW, { txHash: D });
    const trades = last().trades.map((trade) => [
      trade.sellOrderId,
      trade.price,
      fixedText(trade.quantity),
    ]);
    expect(trades).toEqual([
      [B, 1000, "1"],
      [C, 1000, "1"],
      [A, 1001, "0.5"],
    ]);
    expect(last().trades.every((trade) => trade.buyOrderId === D && !trade.isBuyerMaker)).toBe(
      true,
    );
    expect(levels(exchange, "SELL")).toEqual([[1001, "0.5"]]);
  });

  test("the remainder of a limit order rests at its own price", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "999.5", "1"), NOW);
    exchange.execute(bob, limit("SELL", "999.5", "3"), NOW);
    expect(levels(exchange, "BUY")).toEqual([]);
    expect(levels(exchange, "SELL")).toEqual([[999.5, "2"]]);
  });

  test("levels are listed best first on both sides", () => {
    const { exchange } = testExchange();
    for (const price of ["999", "997", "998"])
      exchange.execute(alice, limit("BUY", price, "1"), NOW);
    for (const price of ["1001", "1003", "1002"])
      exchange.execute(alice, limit("SELL", price, "1"), NOW);
    expect(levels(exchange, "BUY").map(([price]) => price)).toEqual([999, 998, 997]);
    expect(levels(exchange, "SELL").map(([price]) => price)).toEqual([1001, 1002, 1003]);
    expect(exchange.book(ETH_USDT, 2).asks).toHaveLength(2);
  });
});

describe("self-trades (D17)", () => {
  test("an incoming order's remainder is canceled when it meets an order of its own account", () => {
    const { exchange, last } = testExchange();
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    exchange.execute(alice, limit("SELL", "1000", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("BUY", "1000", "5"), NOW, { txHash: B });
    expect(last().orderEvents.map((event) => [event.order.orderId, event.eventType])).toEqual([
      [B, "NEW"],
      [B, "TRADE"],
      [expect.any(String), "TRADE"],
      [B, "CANCEL"],
    ]);
    expect(exchange.order(B)).toMatchObject({ status: "CANCELED", executedQty: fixed("1") });
    expect(exchange.order(A)?.status).toBe("NEW");
  });
});

describe("fees (D18)", () => {
  test("each side pays in the token it receives, to the venue's account", () => {
    const { exchange, last } = testExchange();
    exchange.execute(alice, limit("SELL", "1834.5", "0.5"), NOW);
    exchange.execute(bob, limit("BUY", "1834.5", "0.5"), NOW);
    expect(money(exchange, bob, ETH)).toBe("1000.49975/0");
    expect(money(exchange, alice, USDT)).toBe("1000917.06655/0");
    expect(money(exchange, FEE_ACCOUNT, ETH)).toBe("0.00025/0");
    expect(money(exchange, FEE_ACCOUNT, USDT)).toBe("0.18345/0");
    const fills = last().orderEvents.flatMap((event) =>
      event.fill === undefined ? [] : [event.fill],
    );
    expect(fills.map((fill) => [fill.isMaker, fixedText(fill.fee), fill.feeToken])).toEqual([
      [false, "0.00025", ETH],
      [true, "0.18345", USDT],
    ]);
  });

  test("fees are rounded half-up at 18 decimals", () => {
    const { exchange } = testExchange({ markets: [testMarket({ takerFee: fixed("0.00015") })] });
    exchange.execute(alice, limit("SELL", "1", "1.00000000000001"), NOW);
    exchange.execute(bob, limit("BUY", "1", "1.00000000000001"), NOW);
    // 1.00000000000001 × 0.00015 = 0.0001500000000000015: the half goes up.
    expect(money(exchange, FEE_ACCOUNT, ETH)).toBe("0.000150000000000002/0");
  });
});

describe("locks (D19)", () => {
  test("a limit buy locks price × quantity, a limit sell its quantity, and a cancel releases it", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "999.5", "2"), NOW, { txHash: A });
    exchange.execute(alice, limit("SELL", "1001", "3"), NOW, { txHash: B });
    expect(money(exchange, alice, USDT)).toBe("998001/1999");
    expect(money(exchange, alice, ETH)).toBe("997/3");
    exchange.execute(alice, { type: "cancel", orderId: A }, NOW);
    exchange.execute(alice, { type: "cancel", orderId: B }, NOW);
    expect(money(exchange, alice, USDT)).toBe("1000000/0");
    expect(money(exchange, alice, ETH)).toBe("1000/0");
  });

  test("a price improvement is unlocked at once", () => {
    const { exchange } = testExchange();
    exchange.execute(bob, limit("SELL", "900", "1"), NOW);
    exchange.execute(alice, limit("BUY", "1000", "2"), NOW);
    expect(money(exchange, alice, USDT)).toBe("998100/1000");
  });

  test("a limit order needs its worth at its own price", () => {
    const { exchange } = testExchange({}, [
      ["0", "1000"],
      ["10", "0"],
    ]);
    exchange.execute(bob, limit("SELL", "900", "1"), NOW);
    exchange.execute(alice, limit("BUY", "1001", "1"), NOW, { txHash: A });
    expect(exchange.order(A)?.status).toBe("REJECTED");
  });

  test("a market order needs only what it will trade, and locks nothing afterwards", () => {
    const { exchange } = testExchange({}, [
      ["0", "900"],
      ["10", "0"],
    ]);
    exchange.execute(bob, limit("SELL", "900", "1"), NOW);
    exchange.execute(alice, market("BUY", "5"), NOW, { txHash: A });
    expect(exchange.order(A)).toMatchObject({ status: "CANCELED", executedQty: fixed("1") });
    expect(money(exchange, alice, USDT)).toBe("0/0");
  });

  test("a market order is rejected when it cannot pay for what it would trade", () => {
    const { exchange } = testExchange({}, [
      ["0", "899"],
      ["10", "0"],
    ]);
    exchange.execute(bob, limit("SELL", "900", "1"), NOW);
    const response = exchange.execute(alice, market("BUY", "1"), NOW, { txHash: A });
    expect(response).toMatchObject({
      type: "accepted",
      rejected: expect.stringContaining("needs 900"),
    });
    expect(levels(exchange, "SELL")).toEqual([[900, "1"]]);
  });
});

describe("market orders (D20, D21)", () => {
  test("a market order is REJECTED with nothing to match, and its remainder canceled with too little", () => {
    const { exchange, last } = testExchange();
    exchange.execute(alice, market("BUY", "1"), NOW, { txHash: A });
    expect(last().orderEvents.map((event) => event.eventType)).toEqual(["REJECTED"]);
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    exchange.execute(alice, market("BUY", "2"), NOW, { txHash: B });
    expect(last().orderEvents.map((event) => event.eventType)).toEqual([
      "NEW",
      "TRADE",
      "TRADE",
      "CANCEL",
    ]);
    expect(exchange.order(B)).toMatchObject({
      status: "CANCELED",
      executedQty: fixed("1"),
      price: 0n,
    });
  });

  test("an order of the same account first in line counts as nothing to match", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("SELL", "1000", "1"), NOW);
    exchange.execute(bob, limit("SELL", "1001", "1"), NOW);
    exchange.execute(alice, market("BUY", "1"), NOW, { txHash: A });
    expect(exchange.order(A)?.status).toBe("REJECTED");
  });

  test("a market order with a price is REJECTED", () => {
    const { exchange } = testExchange();
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    exchange.execute(alice, { ...market("BUY", "1"), price: fixed("1000") }, NOW, { txHash: A });
    expect(exchange.order(A)?.status).toBe("REJECTED");
  });

  test("the minimum size of a market order is that of the best opposite price", () => {
    const { exchange } = testExchange();
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    exchange.execute(alice, market("BUY", "0.00009"), NOW, { txHash: A });
    exchange.execute(alice, market("BUY", "0.0001"), NOW, { txHash: B });
    expect(exchange.order(A)?.status).toBe("REJECTED");
    expect(exchange.order(B)?.status).toBe("FILLED");
  });

  test("quote mode buys base to 8 decimals and cancels the quote that buys nothing", () => {
    const { exchange, last } = testExchange();
    exchange.execute(bob, limit("SELL", "1834.5", "1"), NOW);
    exchange.execute(alice, market("BUY", "100", 1), NOW, { txHash: A });
    // 100 / 1834.5 = 0.054510765…; 0.05451076 × 1834.5 = 99.99998922
    expect(exchange.order(A)).toMatchObject({
      status: "CANCELED",
      origQty: 0n,
      origQuoteOrderQty: fixed("100"),
      executedQty: fixed("0.05451076"),
      executedQuoteQty: fixed("99.99998922"),
    });
    expect(last().orderEvents.at(-1)?.eventType).toBe("CANCEL");
  });

  test("quote mode across several levels ends FILLED when no quote is left", () => {
    const { exchange } = testExchange();
    exchange.execute(bob, limit("SELL", "1000", "0.05"), NOW);
    exchange.execute(bob, limit("SELL", "1250", "1"), NOW);
    exchange.execute(alice, market("BUY", "100", 1), NOW, { txHash: A });
    expect(exchange.order(A)).toMatchObject({ status: "FILLED", executedQty: fixed("0.09") });
  });

  test("quote mode sells base for the given amount of quote", () => {
    const { exchange } = testExchange();
    exchange.execute(bob, limit("BUY", "1000", "1"), NOW);
    exchange.execute(alice, market("SELL", "250", 1), NOW, { txHash: A });
    expect(exchange.order(A)).toMatchObject({ status: "FILLED", executedQty: fixed("0.25") });
  });

  test("quote too small for 10^-8 of base is REJECTED", () => {
    const { exchange } = testExchange();
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    exchange.execute(alice, market("BUY", "0.000001", 1), NOW, { txHash: A });
    expect(exchange.order(A)?.status).toBe("REJECTED");
  });
});
