import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { fixed, fixedFromNumber, fixedText } from "../../src/domain/fixed.ts";
import type { Side } from "../../src/domain/side.ts";
import type { RecordedFlow } from "../../src/exchange/recorded-flow.ts";
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
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.snapshot(flat(61837.62, 1.5, 61837.61, 2), flat(61837.63, 0.25), NOW);
    expect(levels(exchange, "BUY")).toEqual([
      [61837.62, "1.5"],
      [61837.61, "2"],
    ]);
    flow.depth(flat(61837.62, 0, 61837.6, 4), flat(61837.63, 0.3), NOW);
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
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.snapshot(flat(1000, 1, 999, 1), flat(1001, 1), NOW);
    flow.snapshot(flat(999, 3), flat(1002, 1), NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "3"]]);
    expect(levels(exchange, "SELL")).toEqual([[1002, "1"]]);
  });

  test("an increase joins the back of the queue, and a decrease removes the newest flow first", () => {
    const { exchange } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(1000, 1), none, NOW);
    exchange.execute(alice, limit("BUY", "1000", "1"), NOW, { txHash: A });
    flow.depth(flat(1000, 3), none, NOW);
    exchange.execute(bob, market("SELL", "1.5"), NOW);
    // 1 of the flow in front, then half of alice's; the newer 2 of the flow stand behind her.
    expect(exchange.order(A)?.executedQty).toBe(fixed("0.5"));
    flow.depth(flat(1000, 1), none, NOW);
    exchange.execute(bob, market("SELL", "0.5"), NOW);
    expect(exchange.order(A)?.status).toBe("FILLED");
  });

  test("a decrease can leave a part of the newest order in the queue", () => {
    const { exchange } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(1000, 1), none, NOW);
    flow.depth(flat(1000, 3), none, NOW);
    flow.depth(flat(1000, 2.5), none, NOW);
    expect(fixedText(flow.quantityAt("BUY", 1000))).toBe("2.5");
    flow.depth(flat(1000, 0.5), none, NOW);
    expect(levels(exchange, "BUY")).toEqual([[1000, "0.5"]]);
  });

  test("traded quantity is restored by the next event, whether or not it mentions the level", () => {
    const { exchange } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(1000, 2, 999, 5), none, NOW);
    exchange.execute(bob, market("SELL", "3"), NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "4"]]);
    flow.depth(flat(999, 4.5), none, NOW);
    expect(levels(exchange, "BUY")).toEqual([
      [1000, "2"],
      [999, "4.5"],
    ]);
  });

  test("a recorded price that crosses an account's order fills it, and the level is as recorded", () => {
    const { exchange, last } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(999, 1), flat(1001, 1), NOW);
    exchange.execute(alice, limit("SELL", "1000", "7"), NOW, { txHash: A });
    flow.depth(flat(1000, 0.5), flat(1001, 0), NOW);
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
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(1000, 1), flat(1001, 1), NOW);
    flow.depth(flat(1002, 2), none, NOW);
    expect(last().trades).toEqual([]);
    expect(levels(exchange, "BUY")[0]).toEqual([1002, "2"]);
    expect(levels(exchange, "SELL")[0]).toEqual([1001, "1"]);
  });

  test("an account's order behind a crossed recorded level is still filled", () => {
    const { exchange } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(none, flat(1001, 1), NOW);
    exchange.execute(alice, limit("SELL", "1001", "2"), NOW, { txHash: A });
    flow.depth(flat(1001, 3), none, NOW);
    expect(exchange.order(A)?.status).toBe("FILLED");
    expect(levels(exchange, "BUY")).toEqual([[1001, "3"]]);
    expect(levels(exchange, "SELL")).toEqual([[1001, "1"]]);
  });

  test("levels that no order can have are skipped and counted", () => {
    const { exchange } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(-1, 1, Number.NaN, 1, 1000, -1, 0.123456789, 1, 999, 1), none, NOW);
    expect(levels(exchange, "BUY")).toEqual([[999, "1"]]);
    expect(flow.ignored).toBe(4);
  });
});

describe("recorded trades (D35)", () => {
  test("a recorded trade fills orders by price and time up to its price, and its remainder is dropped", () => {
    const { exchange, last } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(999, 1), flat(1001, 1, 1002, 9), NOW);
    exchange.execute(alice, limit("SELL", "1000", "0.5"), NOW, { txHash: A });
    exchange.execute(alice, limit("SELL", "1001", "1"), NOW, { txHash: B });
    flow.trade({ price: 1001, quantity: 4, isBuyerMaker: false }, NOW);
    expect(last().trades.map((trade) => [trade.price, fixedText(trade.quantity)])).toEqual([
      [1000, "0.5"],
      [1001, "1"],
      [1001, "1"],
    ]);
    expect(exchange.order(B)?.status).toBe("FILLED");
    expect(levels(exchange, "SELL")).toEqual([[1002, "9"]]);
    expect(levels(exchange, "BUY")).toEqual([[999, "1"]]);
  });

  test("a recorded trade with the buyer as maker is a sell", () => {
    const { exchange, last } = testExchange();
    const flow = exchange.recordedFlow(ETH_USDT);
    flow.depth(flat(999, 1), flat(1001, 1), NOW);
    flow.trade({ price: 999, quantity: 0.25, isBuyerMaker: true }, NOW);
    expect(last().trades).toMatchObject([{ price: 999, isBuyerMaker: true }]);
  });
});

test("after each depth event every recorded level is as recorded, whatever traded in between", () => {
  const random = new Prng(7);
  const { exchange } = testExchange(
    {},
    Array.from({ length: 3 }, () => ["1000000", "1000000000"]),
  );
  const flow = exchange.recordedFlow(ETH_USDT);
  const recorded: Record<Side, Map<number, number>> = { BUY: new Map(), SELL: new Map() };
  let mid = 1000;
  for (let step = 0; step < 2000; step += 1) {
    // The market moves, so that recorded levels sometimes cross accounts' orders.
    mid += random.int(-2, 2);
    const changes: Record<Side, number[]> = { BUY: [], SELL: [] };
    for (const side of ["BUY", "SELL"] as const) {
      const sign = side === "BUY" ? -1 : 1;
      for (const price of recorded[side].keys()) {
        if ((price - mid) * sign < 1 || Math.abs(price - mid) > 12) change(side, price, 0);
      }
      for (let rank = 1; rank <= 6; rank += 1) {
        if (random.chance(0.4))
          change(side, mid + sign * rank, random.chance(0.2) ? 0 : random.int(1, 500) / 100);
      }
    }
    flow.depth(Float64Array.from(changes.BUY), Float64Array.from(changes.SELL), NOW);
    check(flow);
    for (let action = random.int(0, 3); action > 0; action -= 1) {
      const account = testAddress(random.int(1, 3));
      const side = random.chance(0.5) ? "BUY" : "SELL";
      const price = String(mid + random.int(-4, 4));
      const kind = random.unit();
      if (kind < 0.6)
        exchange.execute(account, limit(side, price, String(random.int(1, 300) / 100)), NOW);
      else if (kind < 0.75)
        exchange.execute(account, market(side, String(random.int(1, 900) / 100)), NOW);
      else if (kind < 0.8) exchange.execute(account, { type: "cancel-all" }, NOW);
      else
        flow.trade(
          {
            price: Number(price),
            quantity: random.int(1, 900) / 100,
            isBuyerMaker: side === "SELL",
          },
          NOW,
        );
    }

    function change(side: Side, price: number, quantity: number): void {
      if (quantity === 0) recorded[side].delete(price);
      else recorded[side].set(price, quantity);
      changes[side].push(price, quantity);
    }
  }
  for (const { held, deposited } of exchange.ledger.audit().values()) expect(held).toBe(deposited);
  expect(
    exchange
      .userTrades(alice, { fromMs: 0, toMs: 1e15, limit: 9999 })
      .some((trade) => trade.isMaker),
  ).toBe(true);

  function check(flow: RecordedFlow): void {
    for (const side of ["BUY", "SELL"] as const) {
      const held = exchange
        .book(ETH_USDT, 5000)
        [side === "BUY" ? "bids" : "asks"].map((level) => level.price);
      for (const price of new Set([...held, ...recorded[side].keys()])) {
        expect(flow.quantityAt(side, price)).toBe(fixedFromNumber(recorded[side].get(price) ?? 0));
      }
    }
  }
});
