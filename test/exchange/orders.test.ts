import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import {
  levels,
  limit,
  money,
  NOW,
  testAddress,
  testExchange,
  testHash,
  testMarket,
  USDT,
  WHOLE_HISTORY,
} from "../support/exchange.ts";
import { unixMs } from "../../src/domain/time.ts";

const alice = testAddress(1);
const [A, B, C] = [testHash(1), testHash(2), testHash(3)];

describe("admission (D12, D22)", () => {
  test.each([
    ["a price with too many significant digits", limit("BUY", "123456", "1")],
    ["a price with too many decimals", limit("BUY", "1000.25", "1")],
    ["a price with 9 decimals", limit("BUY", "0.000000001", "1")],
    ["a limit price of 0", limit("BUY", "0", "1")],
    ["a size below the minimum", limit("BUY", "1000", "0.00009")],
    ["too little quote", limit("BUY", "1000", "1001")],
    ["too little base", limit("SELL", "1000", "1001")],
    ["quote mode on a limit order", { ...limit("BUY", "1000", "1"), orderMode: 1 as const }],
  ])("%s: accepted, and REJECTED with its event", (_, request) => {
    const { exchange, last } = testExchange();
    const response = exchange.execute(alice, request, NOW, { txHash: A });
    expect(response).toMatchObject({ type: "accepted", txHash: A, rejected: expect.any(String) });
    expect(exchange.order(A)?.status).toBe("REJECTED");
    expect(last().orderEvents).toMatchObject([
      { eventType: "REJECTED", order: { orderId: A, executedQty: 0n } },
    ]);
    expect(last().depth).toEqual([]);
    expect(exchange.endedOrders(alice, WHOLE_HISTORY)).toHaveLength(1);
    expect(money(exchange, alice, USDT)).toBe("1000000/0");
  });

  describe("in a market with one tick and lot", () => {
    const rules = { type: "fixed", tick: "0.01", lot: "0.001" } as const;
    test("an order at a price that the grid of §4.5 does not have rests there exactly", () => {
      const { exchange } = testExchange({ markets: [testMarket({ rules })] });
      exchange.execute(alice, limit("BUY", "61837.63", "0.004"), NOW, { txHash: A });
      expect(exchange.order(A)).toMatchObject({ status: "NEW", price: fixed("61837.63") });
      expect(levels(exchange, "BUY")).toEqual([[61837.63, "0.004"]]);
      // 61837.63 × 0.004.
      expect(money(exchange, alice, USDT)).toBe("999752.64948/247.35052");
    });

    test.each([
      ["a price off the tick", limit("BUY", "1000.005", "1"), "the tick"],
      ["a size below one lot", limit("BUY", "1000", "0.0005"), "the lot 0.001"],
      ["a size of no whole lots", limit("BUY", "1000", "1.0005"), "the lot 0.001"],
      [
        "a stop price off the tick",
        { ...limit("BUY", "1000", "1"), stopPrice: fixed("1000.005") },
        "the stop price is not a multiple of the tick",
      ],
      [
        "a take profit off the tick",
        {
          ...limit("BUY", "1000", "1"),
          tpsl: { tpLimit: fixed("1000.125"), slTrigger: fixed("900"), slLimit: undefined },
        },
        "tpLimit is not a multiple of the tick",
      ],
    ])("%s is REJECTED", (_, request, reason) => {
      const { exchange } = testExchange({ markets: [testMarket({ rules })] });
      expect(exchange.execute(alice, request, NOW, { txHash: A })).toMatchObject({
        rejected: expect.stringContaining(reason),
      });
      expect(exchange.order(A)?.status).toBe("REJECTED");
    });
  });

  test("integers from 100000 on have at most five significant digits, not counting trailing zeros", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "123450.00", "0.001"), NOW, { txHash: A });
    expect(exchange.order(A)?.status).toBe("NEW");
  });
});

describe("lists (§1.8, D14)", () => {
  test("ended orders are listed by record id, not by when they ended", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: B });
    exchange.execute(alice, { type: "cancel", orderId: B }, NOW);
    exchange.execute(alice, { type: "cancel", orderId: A }, NOW);
    expect(exchange.endedOrders(alice, WHOLE_HISTORY).map((order) => order.orderId)).toEqual([
      B,
      A,
    ]);
  });

  test("history is bounded, and a forgotten order is unknown", () => {
    const { exchange } = testExchange({ limits: { historyPerAccount: 2 } });
    for (const hash of [A, B, C])
      exchange.execute(alice, limit("BUY", "0", "1"), NOW, { txHash: hash });
    expect(exchange.endedOrders(alice, WHOLE_HISTORY).map((order) => order.orderId)).toEqual([
      C,
      B,
    ]);
    expect(exchange.order(A)).toBeUndefined();
  });
});

describe("blocks, depth ids and deposits (D30, D33, D36)", () => {
  test("time never goes back", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("BUY", "1000", "1"), unixMs(NOW - 1000), { txHash: B });
    expect(exchange.order(B)?.createdAtMs).toBe(NOW);
  });
});
