import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import {
  ETH,
  ETH_USDT,
  funds,
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
  WHOLE_HISTORY,
} from "../support/exchange.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";

const [alice, bob] = [testAddress(1), testAddress(2)];
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

  test("an unknown pair is not found, and an order in an unlisted market is REJECTED", () => {
    const { exchange, blocks } = testExchange({ markets: [testMarket({ listed: false })] });
    const unknown = { ...limit("BUY", "1000", "1"), marketId: marketId("9", "2") };
    expect(exchange.execute(alice, unknown, NOW)).toMatchObject({ reason: "notFound" });
    expect(blocks).toHaveLength(0);
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    expect(exchange.order(A)?.status).toBe("REJECTED");
  });
});

describe("cancel (D13)", () => {
  test("an unknown order is not found, another account's unauthorized, an ended one invalid, and none of them makes a block", () => {
    const { exchange, blocks } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    expect(exchange.execute(alice, { type: "cancel", orderId: B }, NOW)).toMatchObject({
      reason: "notFound",
    });
    expect(exchange.execute(bob, { type: "cancel", orderId: A }, NOW)).toMatchObject({
      reason: "unauthorized",
    });
    expect(blocks).toHaveLength(1);
    expect(exchange.execute(alice, { type: "cancel", orderId: A }, NOW)).toMatchObject({
      type: "accepted",
    });
    expect(exchange.execute(alice, { type: "cancel", orderId: A }, NOW)).toMatchObject({
      reason: "invalid",
    });
    expect(blocks).toHaveLength(2);
  });

  test("a CANCEL event keeps the executed quantity", () => {
    const { exchange, last } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "2"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.5"), NOW);
    exchange.execute(alice, { type: "cancel", orderId: A }, unixMs(NOW + 5), { txHash: C });
    expect(last()).toMatchObject({ txHash: C });
    expect(last().orderEvents).toMatchObject([
      {
        eventType: "CANCEL",
        txHash: C,
        order: {
          status: "CANCELED",
          executedQty: fixed("0.5"),
          updatedAtMs: NOW + 5,
          createdAtMs: NOW,
        },
      },
    ]);
  });

  test("cancel-all cancels every open order of the account in one block, and accepts having none", () => {
    const { exchange, blocks, last } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("SELL", "1100", "1"), NOW, { txHash: B });
    exchange.execute(bob, limit("SELL", "1100", "1"), NOW, { txHash: C });
    expect(exchange.execute(alice, { type: "cancel-all" }, NOW)).toMatchObject({
      type: "accepted",
    });
    expect(last().orderEvents.map((event) => event.order.orderId)).toEqual([A, B]);
    expect(exchange.openOrders(bob, WHOLE_HISTORY)).toHaveLength(1);
    expect(exchange.execute(alice, { type: "cancel-all" }, NOW)).toMatchObject({
      type: "accepted",
    });
    expect(blocks).toHaveLength(5);
  });
});

describe("modify (D23)", () => {
  test("the replacement has the hash as its id and joins the back of the queue", () => {
    const { exchange, last } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(bob, limit("BUY", "1000", "1"), NOW, { txHash: B });
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: undefined, quantity: fixed("1") },
      NOW,
      { txHash: C },
    );
    expect(
      last().orderEvents.map((event) => [event.eventType, event.order.orderId, event.txHash]),
    ).toEqual([
      ["CANCEL", A, C],
      ["NEW", C, C],
    ]);
    exchange.execute(testAddress(3), limit("SELL", "1000", "1"), NOW);
    expect(exchange.order(B)?.status).toBe("FILLED");
    expect(exchange.order(C)?.status).toBe("NEW");
  });

  test("newQty is the new total, from which the executed quantity is subtracted", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "2"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.5"), NOW);
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("999"), quantity: fixed("3") },
      NOW,
      { txHash: C },
    );
    expect(exchange.order(A)).toMatchObject({ status: "CANCELED", executedQty: fixed("0.5") });
    expect(exchange.order(C)).toMatchObject({
      origQty: fixed("2.5"),
      executedQty: 0n,
      price: fixed("999"),
    });
  });

  test("a replacement without newQty has the remaining quantity", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "2"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.5"), NOW);
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("999"), quantity: undefined },
      NOW,
      { txHash: C },
    );
    expect(exchange.order(C)).toMatchObject({ origQty: fixed("1.5") });
  });

  test("a newQty that is not above the executed quantity is invalid, and so is a modify without a change", () => {
    const { exchange, blocks } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "2"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.5"), NOW);
    const same = { price: undefined, quantity: fixed("0.5") };
    expect(exchange.execute(alice, { type: "modify", orderId: A, ...same }, NOW)).toMatchObject({
      reason: "invalid",
    });
    expect(
      exchange.execute(
        alice,
        { type: "modify", orderId: A, price: undefined, quantity: undefined },
        NOW,
      ),
    ).toMatchObject({ reason: "invalid" });
    expect(blocks).toHaveLength(2);
    expect(exchange.order(A)?.status).toBe("PARTIALLY_FILLED");
  });

  test("a REJECTED replacement still cancels the original, whose lock counts as available", () => {
    const { exchange, last } = testExchange({}, [["0", "1000"]]);
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("500"), quantity: fixed("2") },
      NOW,
      { txHash: B },
    );
    expect(exchange.order(B)?.status).toBe("NEW");
    exchange.execute(
      alice,
      { type: "modify", orderId: B, price: fixed("501"), quantity: undefined },
      NOW,
      { txHash: C },
    );
    expect(last().orderEvents.map((event) => event.eventType)).toEqual(["CANCEL", "REJECTED"]);
    expect(money(exchange, alice, USDT)).toBe("1000/0");
  });
});

describe("lists (§1.8, D14)", () => {
  test("open orders are listed newest first, within the window including both ends", () => {
    const { exchange } = testExchange();
    for (const [at, hash] of [A, B, C].entries()) {
      exchange.execute(alice, limit("BUY", `${1000 - at}`, "1"), unixMs(NOW + at), {
        txHash: hash,
      });
    }
    const ids = (filter: object): string[] =>
      exchange.openOrders(alice, { ...WHOLE_HISTORY, ...filter }).map((order) => order.orderId);
    expect(ids({})).toEqual([C, B, A]);
    expect(ids({ fromMs: NOW + 1, toMs: NOW + 1 })).toEqual([B]);
    expect(ids({ limit: 2 })).toEqual([C, B]);
    expect(ids({ marketId: marketId("9", "2") })).toEqual([]);
  });

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

  test("executions of an account are listed newest first, with the order's own price", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("SELL", "1000", "1"), NOW, { txHash: A });
    exchange.execute(bob, limit("BUY", "1001", "0.25"), NOW, { txHash: B });
    exchange.execute(bob, market("BUY", "0.5"), unixMs(NOW + 1), { txHash: C });
    expect(exchange.userTrades(bob, WHOLE_HISTORY)).toMatchObject([
      { orderId: C, origPrice: 0n, orderType: "MARKET", isMaker: false },
      { orderId: B, origPrice: fixed("1001"), price: fixed("1000"), quantity: fixed("0.25") },
    ]);
    expect(exchange.userTrades(alice, WHOLE_HISTORY)).toHaveLength(2);
  });
});

describe("blocks, depth ids and deposits (D30, D33, D36)", () => {
  test("each accepted command is a block, and a refused command is none", () => {
    const { exchange } = testExchange();
    expect(exchange.blockNumber).toBe(0);
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    expect(exchange.blockNumber).toBe(1);
    exchange.execute(alice, { type: "cancel", orderId: B }, NOW);
    expect(exchange.blockNumber).toBe(1);
  });

  test("depth ids are contiguous, one per changed level, and the book has the last one", () => {
    const { exchange, blocks } = testExchange();
    exchange.execute(alice, limit("SELL", "1000", "1"), NOW);
    exchange.execute(alice, limit("SELL", "1001", "1"), NOW);
    exchange.execute(bob, limit("BUY", "1001", "3"), NOW);
    const changes = blocks.flatMap((block) => block.depth);
    expect(changes.map((change) => [change.firstId, change.finalId])).toEqual([
      [1, 1],
      [2, 2],
      [3, 5],
    ]);
    expect(changes[2]?.asks.map((level) => [level.price, fixedText(level.quantity)])).toEqual([
      [1000, "0"],
      [1001, "0"],
    ]);
    expect(changes[2]?.bids.map((level) => [level.price, fixedText(level.quantity)])).toEqual([
      [1001, "1"],
    ]);
    expect(exchange.book(ETH_USDT, 10)).toMatchObject({ lastId: 5, updatedAtMs: NOW });
  });

  test("the faucet funds an address once, in one block with an event per token", () => {
    const { exchange, blocks } = testExchange({ faucet: funds("10", "25000") });
    const stranger = testAddress(99);
    exchange.see(stranger, NOW);
    exchange.see(stranger, NOW);
    exchange.see(alice, NOW);
    expect(blocks).toHaveLength(1);
    expect(
      blocks[0]?.accountEvents.map((event) => [
        event.eventType,
        event.account,
        event.tokenId,
        fixedText(event.amount),
      ]),
    ).toEqual([
      ["DEPOSIT", stranger, ETH, "10"],
      ["DEPOSIT", stranger, USDT, "25000"],
    ]);
    expect(money(exchange, stranger, ETH)).toBe("10/0");
  });

  test("time never goes back", () => {
    const { exchange } = testExchange();
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("BUY", "1000", "1"), unixMs(NOW - 1000), { txHash: B });
    expect(exchange.order(B)?.createdAtMs).toBe(NOW);
  });
});
