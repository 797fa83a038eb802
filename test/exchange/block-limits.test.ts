import { describe, expect, test } from "vitest";
import {
  ETH,
  funds,
  levels,
  limit,
  market,
  money,
  NOW,
  stateOf,
  testAddress,
  testExchange,
  testHash,
  testMarket,
  tradeAt,
  WHOLE_HISTORY,
} from "../support/exchange.ts";
import { ZERO } from "../../src/domain/fixed.ts";
import type { Address, OrderId } from "../../src/domain/ids.ts";
import type { ExchangeCommand } from "../../src/exchange/command.ts";
import { Exchange } from "../../src/exchange/exchange.ts";
import { testVenue } from "../support/venue.ts";

/** A block is one piece for the event loop, so what one command can do is bounded. */

const [alice, bob] = [testAddress(1), testAddress(2)];
const [A, B, C, D] = [testHash(1), testHash(2), testHash(3), testHash(4)];

describe("open orders of an account", () => {
  function fullAccount() {
    const { exchange } = testExchange({ limits: { openOrdersPerAccount: 2 } });
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: B });
    return exchange;
  }

  test("beyond the limit a new order is rejected, until one has ended", () => {
    const exchange = fullAccount();
    const place = (txHash = C) =>
      exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash });
    expect(place()).toMatchObject({ rejected: "the account has too many open orders" });
    expect(exchange.order(C)?.status).toBe("REJECTED");
    exchange.execute(alice, { type: "cancel", orderId: A }, NOW);
    expect(place(D)).toMatchObject({ rejected: undefined });
    exchange.execute(alice, { type: "cancel-all" }, NOW);
    expect(exchange.openOrders(alice, WHOLE_HISTORY)).toEqual([]);
  });

  test("an order can be modified at the limit, and other accounts have their own", () => {
    const exchange = fullAccount();
    const { price } = limit("BUY", "999", "1");
    const change = { type: "modify", orderId: A, price, quantity: undefined } as const;
    expect(exchange.execute(alice, change, NOW, { txHash: C })).toMatchObject({
      rejected: undefined,
    });
    expect(exchange.execute(bob, limit("BUY", "1000", "1"), NOW)).toMatchObject({
      rejected: undefined,
    });
  });

  test("an order can be modified also when legs have brought the account beyond the limit", () => {
    const { exchange } = testExchange({ limits: { openOrdersPerAccount: 2 } });
    const tpsl = {
      tpLimit: limit("BUY", "1100", "1").price,
      slTrigger: limit("BUY", "900", "1").price,
      slLimit: undefined,
    };
    exchange.execute(alice, { ...limit("BUY", "1000", "1"), tpsl }, NOW, { txHash: testHash(256) });
    exchange.execute(alice, limit("BUY", "990", "1"), NOW, { txHash: B });
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    expect(exchange.openOrders(alice, WHOLE_HISTORY)).toHaveLength(3);
    const change = {
      type: "modify",
      orderId: B,
      price: limit("BUY", "991", "1").price,
      quantity: undefined,
    } as const;
    expect(exchange.execute(alice, change, NOW, { txHash: C })).toMatchObject({
      rejected: undefined,
    });
  });

  test("of all accounts together are bounded, too, and those of a snapshot with more of them stay", () => {
    const limits = { openOrdersOfAll: 2 };
    const { exchange } = testExchange({ limits, exemptAccounts: [] });
    const place = (account: Address, txHash: OrderId, on = exchange) =>
      on.execute(account, limit("BUY", "1000", "1"), NOW, { txHash });
    place(alice, A);
    place(bob, B);
    const rejected = "the venue has too many open orders";
    expect(place(bob, C)).toMatchObject({ rejected });
    const change = { price: limit("BUY", "999", "1").price, quantity: undefined };
    const modify = { type: "modify", orderId: B, ...change } as const;
    expect(exchange.execute(bob, modify, NOW, { txHash: D })).toMatchObject({
      rejected: undefined,
    });
    exchange.execute(alice, { type: "cancel", orderId: A }, NOW);
    expect(place(alice, testHash(5))).toMatchObject({ rejected: undefined });

    const smaller = new Exchange({ markets: [testMarket()], limits: { openOrdersOfAll: 1 } });
    const image = stateOf(exchange);
    smaller.restore(<Row>(name: string) => (image[name] ?? []) as Row[]);
    expect(smaller.openOrders(alice, WHOLE_HISTORY)).toHaveLength(1);
    expect(smaller.openOrders(bob, WHOLE_HISTORY)).toHaveLength(1);
    smaller.execute(bob, { type: "cancel-all" }, NOW);
    expect(place(bob, testHash(6), smaller)).toMatchObject({ rejected });
    smaller.execute(alice, { type: "cancel-all" }, NOW);
    expect(place(bob, testHash(7), smaller)).toMatchObject({ rejected: undefined });
  });

  test("of all others do not hold back the accounts of the configuration, over a snapshot neither", () => {
    const limits = { openOrdersOfAll: 1, openOrdersPerAccount: 2 };
    const exemptAccounts = [alice];
    const { exchange } = testExchange({ limits, exemptAccounts });
    const place = (account: Address, at: number, on = exchange) =>
      on.execute(account, limit("BUY", "1000", "1"), NOW, { txHash: testHash(at) });
    const rejected = "the venue has too many open orders";
    expect(place(bob, 1)).toMatchObject({ rejected: undefined });
    expect(place(bob, 2)).toMatchObject({ rejected });
    expect(place(alice, 3)).toMatchObject({ rejected: undefined });

    const restored = new Exchange({ markets: [testMarket()], limits, exemptAccounts });
    const image = stateOf(exchange);
    restored.restore(<Row>(name: string) => (image[name] ?? []) as Row[]);
    expect(place(bob, 4, restored)).toMatchObject({ rejected });
    expect(place(alice, 5, restored)).toMatchObject({ rejected: undefined });
    expect(place(alice, 6, restored)).toMatchObject({
      rejected: "the account has too many open orders",
    });
  });

  test("the venue allows 5000", async () => {
    const { venue, alice: trader } = await testVenue({ flow: "none" });
    const place = () =>
      venue.exchange.execute(trader.address, limit("BUY", "1000", "0.01"), NOW, {});
    for (let at = 0; at < 5_000; at += 1) expect(place()).toMatchObject({ rejected: undefined });
    expect(place()).toMatchObject({ rejected: "the account has too many open orders" });
    await venue.close();
  });
});

describe("trades of a block", () => {
  function threeOffers() {
    const world = testExchange({ limits: { tradesPerBlock: 2 } });
    for (const txHash of [A, B, C]) {
      world.exchange.execute(alice, limit("SELL", "1000", "1"), NOW, { txHash });
    }
    return world;
  }

  test.each([
    ["a market order", market("BUY", "3")],
    ["a limit order, which would cross the book if it rested", limit("BUY", "1000", "3")],
  ])("beyond the limit the remainder of %s is canceled", (_, order) => {
    const { exchange, last } = threeOffers();
    exchange.execute(bob, order, NOW, { txHash: D });
    expect(exchange.order(D)).toMatchObject({ status: "CANCELED" });
    expect(last().trades).toHaveLength(2);
    expect(last().orderEvents.at(-1)).toMatchObject({ eventType: "CANCEL" });
    expect(levels(exchange, "BUY")).toEqual([]);
    expect(levels(exchange, "SELL")).toEqual([[1000, "1"]]);
    expect(money(exchange, bob, ETH)).toBe("1001.999/0");
    // The next block has room again.
    exchange.execute(bob, market("BUY", "1"), NOW);
    expect(levels(exchange, "SELL")).toEqual([]);
  });

  test("a market order needs no more money than the trades that the block has room for", () => {
    const { exchange, last } = threeOffers();
    // Two of the three offers cost 2000.
    const poor = testAddress(9);
    exchange.deposit(poor, funds("0", "2500"), NOW);
    exchange.execute(poor, market("BUY", "3"), NOW, { txHash: D });
    expect(exchange.order(D)).toMatchObject({ status: "CANCELED" });
    expect(last().trades).toHaveLength(2);
  });

  test("stop orders that its trades reach beyond the limit are canceled in the same block", () => {
    const { exchange, last } = threeOffers();
    exchange.execute(bob, limit("BUY", "1000", "0.1"), NOW);
    const stop = { ...limit("BUY", "0", "0.1"), type: "stop", orderType: "MARKET" } as const;
    exchange.execute(testAddress(3), { ...stop, stopPrice: limit("BUY", "1000", "1").price }, NOW, {
      txHash: D,
    });
    exchange.execute(bob, market("BUY", "1.5"), NOW);
    expect(last().trades).toHaveLength(2);
    expect(exchange.order(D)).toMatchObject({ status: "CANCELED", isTriggered: true });
  });

  test("a limit order that crosses nothing more rests", () => {
    const { exchange } = threeOffers();
    exchange.execute(bob, limit("BUY", "1000", "2"), NOW, { txHash: D });
    expect(exchange.order(D)).toMatchObject({ status: "FILLED" });
    exchange.execute(bob, limit("BUY", "999", "2"), NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "2"]]);
  });
});

describe("stop orders that fire in a block", () => {
  const hashes = Array.from({ length: 5 }, (_, at) => testHash(0x1000 + at));
  const stops = Array.from({ length: 5 }, (_, at) => ({
    ...market("BUY", "1"),
    type: "stop" as const,
    // The last ones are the nearest.
    stopPrice: limit("BUY", String(1_050 - at), "1").price,
  }));

  /** Five stop orders that one trade reaches, and what its block and the next ones fired. */
  function reached() {
    const world = testExchange({ limits: { consequencesPerBlock: 2 } });
    const { exchange, last } = world;
    tradeAt(world, "1000");
    exchange.execute(alice, limit("SELL", "1100", "50"), NOW);
    for (const [at, stop] of stops.entries()) {
      exchange.execute(bob, stop, NOW, { txHash: hashes[at] });
    }
    exchange.execute(testAddress(3), market("BUY", "1"), NOW, { txHash: A });
    const fired = (): unknown[] =>
      last()
        .orderEvents.filter(({ eventType }) => eventType === "TRIGGER")
        .map(({ order }) => hashes.indexOf(order.orderId));
    return { exchange, last, fired };
  }

  test("are as many as a block may have, the others follow in blocks of their own, nearest first", () => {
    const { exchange, last, fired } = reached();
    const firedBy: unknown[][] = [fired()];
    expect(last().txHash).toBe(A);
    while (exchange.hasDue) {
      const { blockNumber } = exchange;
      exchange.fireDue(NOW);
      expect(exchange.blockNumber).toBe(blockNumber + 1);
      firedBy.push(fired());
    }
    expect(firedBy).toEqual([[4, 3], [2, 1], [0]]);
    expect(hashes.map((hash) => exchange.order(hash)?.isTriggered)).toEqual(hashes.map(() => true));
    exchange.fireDue(NOW);
    expect(fired()).toEqual([0]);
  });

  test("keep their place when commands come between, which have none of them in their blocks", () => {
    const { exchange, fired } = reached();
    exchange.execute(alice, limit("SELL", "1200", "1"), NOW, { txHash: B });
    expect(fired()).toEqual([]);
    exchange.execute(bob, { type: "cancel", orderId: hashes[2] ?? B }, NOW, { txHash: C });
    expect(fired()).toEqual([]);
    exchange.fireDue(NOW);
    expect(fired()).toEqual([1, 0]);
    expect(exchange.hasDue).toBe(false);
    expect(exchange.order(hashes[2] ?? B)?.status).toBe("CANCELED");
  });

  test("wait behind those of earlier blocks", () => {
    const { exchange, fired } = reached();
    const late = testHash(0x2000);
    exchange.execute(
      alice,
      { ...limit("SELL", "1000", "1"), type: "stop", stopPrice: stops[0]?.stopPrice ?? ZERO },
      NOW,
      { txHash: late },
    );
    exchange.execute(alice, limit("SELL", "1040", "1"), NOW);
    exchange.execute(testAddress(3), market("BUY", "1"), NOW);
    expect(exchange.order(late)).toMatchObject({ isTriggered: false });
    while (exchange.hasDue) exchange.fireDue(NOW);
    expect(exchange.order(late)).toMatchObject({ isTriggered: true });
    expect(fired()).toEqual([0, -1]);
  });

  test("a venue fires all of them by itself, 500 in a block", async () => {
    const { venue, alice: maker, bob: taker, clock } = await testVenue({ flow: "none" });
    const { exchange } = venue;
    const place = (command: ExchangeCommand, account = taker.address): void => {
      expect(exchange.execute(account, command, NOW, {})).toMatchObject({ rejected: undefined });
    };
    place(limit("SELL", "1000", "0.01"), maker.address);
    place(market("BUY", "0.01"));
    place(limit("SELL", "1100", "50"), maker.address);
    for (let at = 0; at < 600; at += 1) {
      place({ ...market("BUY", "0.01"), type: "stop", stopPrice: limit("BUY", "1050", "1").price });
    }
    const before = exchange.blockNumber;
    place(market("BUY", "0.01"));
    clock.advance(1);
    expect(exchange.blockNumber).toBe(before + 2);
    expect(exchange.openOrders(taker.address, WHOLE_HISTORY)).toEqual([]);
    await venue.close();
  });
});
