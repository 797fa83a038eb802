import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
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
  WHOLE_HISTORY,
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

describe("admission (D22, D25)", () => {
  test("the legs exist from the start under their derived ids, without being listed and without an event", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buyLimit, NOW, { txHash: A });
    expect(lastEvents(world)).toEqual([["NEW", A]]);
    expect(exchange.order(A)).toMatchObject({
      status: "NEW",
      orderType: "LIMIT",
      contingencyType: "OTO",
      otoLegType: "WORKING_LEG",
      isTrigger: false,
      txHash: A,
    });
    const leg = {
      status: "PENDING_NEW",
      side: "SELL",
      contingencyType: "OCO",
      origQty: fixed("1"),
      txHash: A,
    };
    expect(exchange.order(TP)).toMatchObject({
      ...leg,
      orderType: "TAKE_PROFIT_LIMIT",
      otoLegType: "TP_LEG",
      price: fixed("1100"),
      isTrigger: false,
      triggerPrice: 0n,
    });
    expect(exchange.order(SL)).toMatchObject({
      ...leg,
      orderType: "STOP_LOSS_LIMIT",
      otoLegType: "SL_LEG",
      price: fixed("890"),
      isTrigger: true,
      isTriggered: false,
      triggerPrice: fixed("900"),
    });
    expect(exchange.openOrders(alice, WHOLE_HISTORY).map(({ orderId }) => orderId)).toEqual([A]);
    expect(exchange.endedOrders(alice, WHOLE_HISTORY)).toEqual([]);
    expect([money(exchange, alice, ETH), money(exchange, alice, USDT)]).toEqual([
      "1000/0",
      "999000/1000",
    ]);
  });

  test("without slLimit the stop loss is a market order", () => {
    const world = testExchange();
    world.exchange.execute(alice, buy, NOW, { txHash: A });
    expect(world.exchange.order(SL)).toMatchObject({ orderType: "STOP_LOSS_MARKET", price: 0n });
  });

  test.each([
    ["take profit of a buy not above its price", withLegs("BUY", "1000", "1", "1000", "900")],
    ["stop loss of a buy not below its price", withLegs("BUY", "1000", "1", "1100", "1000")],
    ["take profit of a sell not below its price", withLegs("SELL", "1000", "1", "1000", "1100")],
    ["stop loss of a sell not above its price", withLegs("SELL", "1000", "1", "900", "1000")],
    ["tpLimit off the grid", withLegs("BUY", "1000", "1", "1100.25", "900")],
    ["slTrigger off the grid", withLegs("BUY", "1000", "1", "1100", "900.123")],
    ["slLimit off the grid", withLegs("BUY", "1000", "1", "1100", "900", "0.000000001")],
    ["slLimit of 0", withLegs("BUY", "1000", "1", "1100", "900", "0")],
    ["a price off the grid", withLegs("BUY", "1000.25", "1", "1100", "900")],
    ["too little quote", withLegs("BUY", "1000", "1001", "1100", "900")],
  ])("%s: REJECTED, and its legs never exist", (_, request) => {
    const world = testExchange();
    const { exchange } = world;
    expect(exchange.execute(alice, request, NOW, { txHash: A })).toMatchObject({
      type: "accepted",
      rejected: expect.any(String),
    });
    expect(lastEvents(world)).toEqual([["REJECTED", A]]);
    expect(statuses(world, A, TP, SL)).toEqual(["REJECTED", undefined, undefined]);
  });
});

describe("placement (D25)", () => {
  test("the legs of a filled buy sell what it received net of fees, rounded down to 8 decimals", () => {
    const world = filled(withLegs("BUY", "1000", "1.000000123", "1100", "900"));
    const { exchange, blocks } = world;
    // A maker's fee of 0.0002: 1.000000123 − 0.0002000000246 = 0.9998001229754.
    const quantity = fixed("0.99980012");
    expect(lastEvents(world).slice(-2)).toEqual([
      ["NEW", TP],
      ["NEW", SL],
    ]);
    expect(exchange.order(TP)).toMatchObject({ status: "NEW", origQty: quantity });
    expect(exchange.order(SL)).toMatchObject({ status: "NEW", origQty: quantity });
    expect(levels(exchange, "SELL")).toEqual([[1100, "0.99980012"]]);
    // One lock for both.
    expect(money(exchange, alice, ETH)).toBe("1000.0000000029754/0.99980012");
    expect(exchange.openOrders(alice, WHOLE_HISTORY).map(({ orderId }) => orderId)).toEqual([
      SL,
      TP,
    ]);
    expect(blocks).toHaveLength(2);
    expectConservation(world);
  });

  test("the legs of a filled sell buy back what it sold, and the pair locks the larger need", () => {
    const world = filled(sell);
    const { exchange } = world;
    expect(exchange.order(TP)).toMatchObject({ side: "BUY", origQty: fixed("1"), status: "NEW" });
    // Of 900 × 1 and 1100 × 1.
    expect(money(exchange, alice, USDT)).toBe("999899.8/1100");
    expect(levels(exchange, "BUY")).toEqual([[900, "1"]]);
    expect(
      money(filled(withLegs("SELL", "1000", "1", "900", "1100", "1200")).exchange, alice, USDT),
    ).toBe("999799.8/1200");
  });

  test("every fee of several fills counts, as maker and as taker", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(bob, limit("SELL", "990", "0.4"), NOW);
    exchange.execute(alice, withLegs("BUY", "1000", "1", "1100", "900"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.5"), NOW);
    expect(statuses(world, A, TP, SL)).toEqual(["PARTIALLY_FILLED", "PENDING_NEW", "PENDING_NEW"]);
    exchange.execute(bob, limit("SELL", "1000", "0.1"), NOW);
    // 0.4 × 0.9995 + 0.6 × 0.9998
    expect(exchange.order(TP)?.origQty).toBe(fixed("0.99968"));
    expect(statuses(world, A, TP, SL)).toEqual(["FILLED", "NEW", "NEW"]);
  });

  test("legs may be below the minimum size", () => {
    const world = filled(withLegs("BUY", "1000", "0.0001", "1100", "900"));
    expect(world.exchange.order(TP)).toMatchObject({ status: "NEW", origQty: fixed("0.00009998") });
  });

  test("a leg without funds is REJECTED, while the fill stands and the other leg is placed", () => {
    // 999.8 received, and 50 more: enough for 900, not for 1100.
    const world = filled(sell, {}, [
      ["1", "50"],
      ["5", "100000"],
    ]);
    const { exchange } = world;
    expect(lastEvents(world).slice(-2)).toEqual([
      ["NEW", TP],
      ["REJECTED", SL],
    ]);
    expect(statuses(world, A, TP, SL)).toEqual(["FILLED", "NEW", "REJECTED"]);
    expect(money(exchange, alice, USDT)).toBe("149.8/900");
    exchange.execute(bob, limit("SELL", "900", "1"), NOW);
    expect(exchange.order(TP)?.status).toBe("FILLED");
    expect(money(exchange, alice, USDT)).toBe("149.8/0");
    expectConservation(world);
  });

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

  test("the stop loss fires at placement when the last trade is already beyond its trigger", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buy, NOW, { txHash: A });
    exchange.execute(carol, limit("BUY", "890", "5"), NOW, { txHash: C });
    exchange.execute(bob, market("SELL", "2"), NOW);
    expect(
      lastEvents(world).map(([type, id]) => `${type} ${[A, TP, SL, C].indexOf(id as OrderId)}`),
    ).toEqual([
      "NEW -1",
      "TRADE -1",
      "TRADE 0",
      "TRADE -1",
      "TRADE 3",
      "NEW 1",
      "NEW 2",
      "TRIGGER 2",
      "TRADE 2",
      "TRADE 3",
      "CANCEL 1",
    ]);
    expect(statuses(world, A, TP, SL)).toEqual(["FILLED", "CANCELED", "FILLED"]);
    expect(money(exchange, alice, ETH)).toBe("1000/0");
    expectConservation(world);
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
  test("a full fill of the take profit cancels the stop loss", () => {
    const world = filled(buy);
    const { exchange } = world;
    exchange.execute(bob, limit("BUY", "1100", "5"), NOW);
    expect(lastEvents(world).slice(-1)).toEqual([["CANCEL", SL]]);
    expect(statuses(world, TP, SL)).toEqual(["FILLED", "CANCELED"]);
    expect(money(exchange, alice, ETH)).toBe("1000/0");
    // It never fires.
    tradeAt(world, "900");
    expect(exchange.order(SL)?.isTriggered).toBe(false);
    expectConservation(world);
  });

  test("a stop loss that fills cancels the take profit", () => {
    const world = filled(buy);
    const { exchange } = world;
    exchange.execute(bob, limit("BUY", "880", "5"), NOW);
    tradeAt(world, "900");
    expect(lastEvents(world).slice(-4)).toEqual([
      ["TRIGGER", SL],
      ["TRADE", SL],
      ["TRADE", expect.any(String)],
      ["CANCEL", TP],
    ]);
    expect(statuses(world, TP, SL)).toEqual(["CANCELED", "FILLED"]);
    expect(levels(exchange, "SELL")).toEqual([]);
    expect(money(exchange, alice, ETH)).toBe("1000/0");
    expectConservation(world);
  });

  test("a partial fill reduces the other leg without an event; that leg keeps its origQty and is FILLED by the remainder", () => {
    const world = filled(buyLimit);
    const { exchange } = world;
    exchange.execute(bob, limit("BUY", "1100", "0.4"), NOW);
    expect(lastEvents(world).filter(([, id]) => id === SL)).toEqual([]);
    expect(money(exchange, alice, ETH)).toBe("1000/0.5998");
    exchange.execute(carol, limit("BUY", "890", "5"), NOW);
    tradeAt(world, "900");
    expect(exchange.order(SL)).toMatchObject({
      status: "FILLED",
      origQty: fixed("0.9998"),
      executedQty: fixed("0.5998"),
    });
    expect(exchange.order(TP)).toMatchObject({ status: "CANCELED", executedQty: fixed("0.4") });
    expect(money(exchange, alice, ETH)).toBe("1000/0");
    expectConservation(world);
  });

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

  test.each([
    ["the take profit", TP, SL],
    ["the stop loss", SL, TP],
  ])("canceling %s cancels its pair and frees the lock", (_, leg, pair) => {
    const world = filled(buy);
    const { exchange } = world;
    exchange.execute(alice, { type: "cancel", orderId: leg }, NOW);
    expect(lastEvents(world)).toEqual([
      ["CANCEL", leg],
      ["CANCEL", pair],
    ]);
    expect(money(exchange, alice, ETH)).toBe("1000.9998/0");
    expect(levels(exchange, "SELL")).toEqual([]);
    tradeAt(world, "900");
    expect(statuses(world, TP, SL)).toEqual(["CANCELED", "CANCELED"]);
    expectConservation(world);
  });

  test("legs canceled before placement leave the working order open without them", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buy, NOW, { txHash: A });
    exchange.execute(alice, { type: "cancel", orderId: SL }, NOW);
    expect(lastEvents(world)).toEqual([
      ["CANCEL", SL],
      ["CANCEL", TP],
    ]);
    expect(exchange.endedOrders(alice, WHOLE_HISTORY)).toHaveLength(2);
    exchange.execute(bob, limit("SELL", "1000", "1"), NOW);
    expect(statuses(world, A, TP, SL)).toEqual(["FILLED", "CANCELED", "CANCELED"]);
    expect(money(exchange, alice, ETH)).toBe("1000.9998/0");
  });

  test("a stop loss with nothing to match is CANCELED, together with the take profit", () => {
    const world = filled(buy);
    tradeAt(world, "900");
    expect(statuses(world, TP, SL)).toEqual(["CANCELED", "CANCELED"]);
    expect(money(world.exchange, alice, ETH)).toBe("1000.9998/0");
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
  test("a cancel before the fill cancels all three, with an event each", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buy, NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.5"), NOW);
    exchange.execute(alice, { type: "cancel", orderId: A }, unixMs(NOW + 7), { txHash: C });
    expect(lastEvents(world)).toEqual([
      ["CANCEL", A],
      ["CANCEL", TP],
      ["CANCEL", SL],
    ]);
    expect(exchange.order(TP)).toMatchObject({ status: "CANCELED", updatedAtMs: NOW + 7 });
    expect(money(exchange, alice, USDT)).toBe("999500/0");
  });

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

  test("a modify creates new legs under ids derived from its hash", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buyLimit, NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1000", "0.25"), NOW);
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("1001"), quantity: fixed("3") },
      NOW,
      { txHash: B },
    );
    const anew = legIdsOf(B);
    expect(lastEvents(world)).toEqual([
      ["CANCEL", A],
      ["CANCEL", TP],
      ["CANCEL", SL],
      ["NEW", B],
    ]);
    expect(exchange.order(anew.takeProfit)).toMatchObject({
      status: "PENDING_NEW",
      origQty: fixed("2.75"),
      price: fixed("1100"),
      txHash: B,
    });
    exchange.execute(bob, limit("SELL", "1001", "2.75"), NOW);
    expect(exchange.order(anew.stopLoss)).toMatchObject({
      status: "NEW",
      triggerPrice: fixed("900"),
      price: fixed("890"),
      origQty: fixed("2.74945"),
    });
  });

  test("a modify to a price beyond the legs is REJECTED, and all of the original is canceled", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(alice, buy, NOW, { txHash: A });
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("1100"), quantity: undefined },
      NOW,
      { txHash: B },
    );
    expect(statuses(world, A, TP, SL, B, legIdsOf(B).takeProfit)).toEqual([
      "CANCELED",
      "CANCELED",
      "CANCELED",
      "REJECTED",
      undefined,
    ]);
    expect(money(exchange, alice, USDT)).toBe("1000000/0");
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

  test.each([TP, SL])("a modify of a leg is invalid, before and after placement", (leg) => {
    const pending = testExchange();
    pending.exchange.execute(alice, buy, NOW, { txHash: A });
    for (const { exchange, blocks } of [pending, filled(buy)]) {
      const before = blocks.length;
      const change = { price: fixed("950"), quantity: undefined };
      expect(
        exchange.execute(alice, { type: "modify", orderId: leg, ...change }, NOW),
      ).toMatchObject({ reason: "invalid" });
      expect(blocks).toHaveLength(before);
    }
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
