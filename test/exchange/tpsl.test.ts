import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { Side } from "../../src/domain/side.ts";
import type { PlaceOrder } from "../../src/exchange/command.ts";
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
  USDT,
  lastEvents,
  tradeAt,
  testHashWithLegs,
  type TestExchange,
  expectConservation,
} from "../support/exchange.ts";

const [alice, bob, carol] = [testAddress(1), testAddress(2), testAddress(3)];
const [A, B, C] = [testHashWithLegs(1), testHashWithLegs(2), testHashWithLegs(3)];
const { takeProfit: TP, stopLoss: SL } = legIdsOf(A);

function withLegs(
  side: Side,
  price: string,
  quantity: string,
  tpLimit: string,
  slTrigger: string,
  slLimit?: string,
): PlaceOrder {
  return {
    ...limit(side, price, quantity),
    tpsl: {
      tpLimit: fixed(tpLimit),
      slTrigger: fixed(slTrigger),
      slLimit: slLimit === undefined ? undefined : fixed(slLimit),
    },
  };
}

const buy = withLegs("BUY", "1000", "1", "1100", "900");
const buyLimit = withLegs("BUY", "1000", "1", "1100", "900", "890");
const sell = withLegs("SELL", "1000", "1", "900", "1100");

function statuses({ exchange }: TestExchange, ...ids: OrderId[]): (string | undefined)[] {
  return ids.map((id) => exchange.order(id)?.status);
}

/** Alice's order with legs, filled by bob at its price. */
function filled(request: PlaceOrder, ...given: Parameters<typeof testExchange>): TestExchange {
  const world = testExchange(...given);
  world.exchange.execute(alice, request, NOW, { txHash: A });
  const side = request.side === "BUY" ? "SELL" : "BUY";
  world.exchange.execute(bob, { ...limit(side, "1000", fixedText(request.quantity)) }, NOW);
  return world;
}

describe("placement (D25)", () => {
  test("both legs are REJECTED when neither is covered", () => {
    const world = testExchange({}, [
      ["1", "0"],
      ["0", "100000"],
    ]);
    const { exchange } = world;
    exchange.execute(alice, withLegs("SELL", "1000", "1", "999.9", "1100"), NOW, { txHash: A });
    exchange.execute(bob, limit("BUY", "1000", "1"), NOW);
    expect(statuses(world, A, TP, SL)).toEqual(["FILLED", "REJECTED", "REJECTED"]);
    expect(money(exchange, alice, USDT)).toBe("999.8/0");
  });

  test("a take profit that crosses trades at once and cancels the stop loss before it fires", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, sell, NOW, { txHash: A });
    exchange.execute(bob, limit("BUY", "1000", "1"), NOW);
    exchange.execute(alice, { type: "cancel-all" }, NOW);
    expect(statuses(world, A, TP, SL)).toEqual(["FILLED", "CANCELED", "CANCELED"]);
    // Now with an ask that the take profit's bid reaches as soon as it is placed.
    const second = testExchange();
    second.exchange.execute(carol, limit("SELL", "899", "1"), NOW);
    second.exchange.execute(carol, limit("BUY", "850", "1"), NOW);
    second.exchange.execute(alice, withLegs("SELL", "850", "1", "840", "860"), NOW, { txHash: A });
    expect(statuses(second, A, TP, SL)).toEqual(["FILLED", "NEW", "NEW"]);
    second.exchange.execute(bob, limit("SELL", "840", "0.4"), NOW);
    expect(second.exchange.order(TP)).toMatchObject({ executedQty: fixed("0.4") });
    expectConservation(second);
  });
});

describe("one cancels the other (D25)", () => {
  test("a partly filled stop loss reduces the resting take profit, also in the book", () => {
    const world = filled(buyLimit);
    const { exchange } = world;
    exchange.execute(carol, limit("BUY", "890", "0.3"), NOW);
    exchange.execute(carol, limit("BUY", "880", "0.3"), NOW);
    tradeAt(world, "900");
    expect(exchange.order(SL)).toMatchObject({
      status: "PARTIALLY_FILLED",
      executedQty: fixed("0.3"),
    });
    // Both rest now, and together they sell what one of them may.
    expect(levels(exchange, "SELL")).toEqual([
      [890, "0.6998"],
      [1100, "0.6998"],
    ]);
    expect(money(exchange, alice, ETH)).toBe("1000/0.6998");
    expectConservation(world);
  });

  test("one sweep over both legs fills the quantity once", () => {
    const world = filled(buyLimit);
    const { exchange, last } = world;
    tradeAt(world, "900");
    expect(levels(exchange, "SELL")).toEqual([
      [890, "0.9998"],
      [1100, "0.9998"],
    ]);
    exchange.execute(bob, market("BUY", "0.5"), NOW);
    exchange.execute(bob, limit("BUY", "1200", "5"), NOW, { txHash: B });
    expect(last().trades.map((trade) => fixedText(trade.quantity))).toEqual(["0.4998"]);
    expect(levels(exchange, "SELL")).toEqual([]);
    expect(exchange.order(B)).toMatchObject({ executedQty: fixed("0.4998") });
    expect(statuses(world, TP, SL)).toEqual(["CANCELED", "FILLED"]);
    expect(money(exchange, alice, ETH)).toBe("1000/0");
    expectConservation(world);
  });

  test("when both legs are in one queue, a fill of the first cancels the second", () => {
    const world = filled(withLegs("BUY", "1000", "1", "1100", "900", "1100"));
    const { exchange, last } = world;
    tradeAt(world, "900");
    exchange.execute(carol, limit("SELL", "1100", "1"), NOW, { txHash: C });
    expect(levels(exchange, "SELL")).toEqual([[1100, "2.9996"]]);
    exchange.execute(bob, market("BUY", "1.5"), NOW, { txHash: B });
    expect(last().trades.map((trade) => [trade.sellOrderId, fixedText(trade.quantity)])).toEqual([
      [TP, "0.9998"],
      [C, "0.5002"],
    ]);
    expect(statuses(world, TP, SL)).toEqual(["FILLED", "CANCELED"]);
    expectConservation(world);
  });

  test("a market order needs the funds that it will use, not those for both legs", () => {
    // Carol has just enough quote for the one leg that she can get.
    const world = testExchange({}, [
      ["0", "1000"],
      ["10", "0"],
      ["0", "889.8221"],
      ["100", "100000"],
    ]);
    const { exchange } = world;
    const dave = testAddress(4);
    exchange.execute(alice, buyLimit, NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    exchange.execute(bob, limit("SELL", "900", "1"), NOW);
    exchange.execute(dave, limit("BUY", "900", "1"), NOW);
    expect(levels(exchange, "SELL")).toHaveLength(2);
    exchange.execute(carol, market("BUY", "5"), NOW, { txHash: B });
    expect(exchange.order(B)).toMatchObject({ status: "CANCELED", executedQty: fixed("0.9998") });
    expect(money(exchange, carol, USDT)).toBe("0.0001/0");
  });

  test("a stop loss buy spends at most what was locked for it", () => {
    const world = filled(sell);
    const { exchange } = world;
    exchange.execute(bob, limit("SELL", "1250", "5"), NOW);
    tradeAt(world, "1100");
    expect(exchange.order(SL)).toMatchObject({
      status: "CANCELED",
      executedQty: fixed("0.88"),
      executedQuoteQty: fixed("1100"),
    });
    expect(money(exchange, alice, USDT)).toBe("999899.8/0");
    expectConservation(world);
  });

  test("a stop loss buy with a limit rests, and each fill reduces the pair's lock", () => {
    const world = filled(withLegs("SELL", "1000", "1", "900", "1100", "1150"));
    const { exchange } = world;
    tradeAt(world, "1100");
    expect(levels(exchange, "BUY")).toEqual([
      [1150, "1"],
      [900, "1"],
    ]);
    exchange.execute(bob, limit("SELL", "1150", "0.25"), NOW);
    expect(money(exchange, alice, USDT)).toBe("999849.8/862.5");
    expect(levels(exchange, "BUY")).toEqual([
      [1150, "0.75"],
      [900, "0.75"],
    ]);
    expectConservation(world);
  });
});

describe("the working leg ends early (D23, D25)", () => {
  test("cancel-all cancels each of the three once", () => {
    const world = testExchange();
    world.exchange.execute(alice, buy, NOW, { txHash: A });
    world.exchange.execute(alice, { type: "cancel-all" }, NOW);
    expect(lastEvents(world).map(([, id]) => id)).toEqual([A, TP, SL]);
    const placed = filled(buy);
    placed.exchange.execute(alice, { type: "cancel-all" }, NOW);
    expect(lastEvents(placed).map(([, id]) => id)).toEqual([TP, SL]);
    expect(money(placed.exchange, alice, ETH)).toBe("1000.9998/0");
  });

  test("an order of the same account in its way cancels all three", () => {
    const world = testExchange();
    world.exchange.execute(alice, limit("SELL", "990", "1"), NOW, { txHash: B });
    world.exchange.execute(alice, buy, NOW, { txHash: A });
    expect(lastEvents(world)).toEqual([
      ["NEW", A],
      ["CANCEL", A],
      ["CANCEL", TP],
      ["CANCEL", SL],
    ]);
  });

  test("a replacement has no legs when the owner had canceled them", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buy, NOW, { txHash: A });
    exchange.execute(alice, { type: "cancel", orderId: TP }, NOW);
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("999"), quantity: undefined },
      NOW,
      { txHash: B },
    );
    expect(exchange.order(B)).toMatchObject({ status: "NEW", otoLegType: "NONE" });
    expect(exchange.order(legIdsOf(B).takeProfit)).toBeUndefined();
  });
});

test("recorded liquidity never exceeds the recorded quantity, even when it crosses both legs of a pair (D35)", () => {
  const world = filled(buyLimit);
  const { exchange } = world;
  tradeAt(world, "900");
  const flow = exchange.recordedLiquidity(ETH_USDT);
  // Crosses both legs, which together hold 0.9998 once.
  flow.depth(Float64Array.of(1150, 3), new Float64Array(), NOW);
  expect(levels(exchange, "SELL")).toEqual([]);
  expect(levels(exchange, "BUY")).toEqual([[1150, "3"]]);
  expect(flow.quantityAt("BUY", 1150)).toBe(3);
  expectConservation(world);
});
