import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import type { Side } from "../../src/domain/side.ts";
import type { PlaceStopOrder } from "../../src/exchange/command.ts";
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
} from "../support/exchange.ts";

const [alice, bob, carol] = [testAddress(1), testAddress(2), testAddress(3)];
const [A, B, C, D] = [
  testHashWithLegs(1),
  testHashWithLegs(2),
  testHashWithLegs(3),
  testHashWithLegs(4),
];

const stopLimit = (
  side: Side,
  stopPrice: string,
  price: string,
  quantity: string,
): PlaceStopOrder => ({
  ...limit(side, price, quantity),
  type: "stop",
  stopPrice: fixed(stopPrice),
});
const stopMarket = (
  side: Side,
  stopPrice: string,
  quantity: string,
  mode: 0 | 1 = 0,
): PlaceStopOrder => ({
  ...market(side, quantity, mode),
  type: "stop",
  stopPrice: fixed(stopPrice),
});

/** A world whose last trade was at 1000, with nothing resting. */
function at1000(...given: Parameters<typeof testExchange>): TestExchange {
  const world = testExchange(...given);
  tradeAt(world, "1000");
  return world;
}

describe("admission (§4.5, D12, D22, D24)", () => {
  test.each([
    ["a stop price off the grid", stopLimit("BUY", "1001.25", "1001", "1")],
    ["a stop price of 0", stopLimit("SELL", "0", "1", "1")],
    ["a stop price with too many digits", stopMarket("BUY", "123456", "1")],
    ["a limit price off the grid", stopLimit("BUY", "1001", "1001.25", "1")],
    ["a limit price of 0", stopLimit("BUY", "1001", "0", "1")],
    ["quote mode on a stop limit", { ...stopLimit("BUY", "1001", "1001", "1"), orderMode: 1 }],
    ["a price on a stop market", { ...stopMarket("BUY", "1001", "1"), price: fixed("5") }],
    ["a size below the minimum at its price", stopLimit("BUY", "10001", "9000", "0.00001")],
    ["a size below the minimum at the stop price", stopMarket("BUY", "1001", "0.00009")],
    ["too little quote", stopLimit("BUY", "1001", "1001", "1000")],
    ["too little quote at the stop price", stopMarket("BUY", "1001", "1000")],
    ["too little base", stopMarket("SELL", "999", "1000.1")],
    ["too little base for a quote amount", stopMarket("SELL", "999", "1000000", 1)],
  ] as const)("%s is REJECTED, locks nothing, waits nowhere", (_, request) => {
    const world = at1000();
    const { exchange, last } = world;
    const response = exchange.execute(alice, request, NOW, { txHash: A });
    expect(response).toMatchObject({ type: "accepted", rejected: expect.any(String) });
    expect(last().orderEvents).toMatchObject([
      { eventType: "REJECTED", order: { status: "REJECTED", orderId: A } },
    ]);
    expect([money(exchange, alice, ETH), money(exchange, alice, USDT)]).toEqual([
      "1000/0",
      "1000000/0",
    ]);
    tradeAt(world, "1001");
    tradeAt(world, "999");
    expect(exchange.order(A)?.status).toBe("REJECTED");
  });
});

describe("firing (§3, §6.4, D24)", () => {
  test("a stop limit that crosses trades as a taker first, and its remainder rests", () => {
    const world = at1000();
    const { exchange } = world;
    exchange.execute(alice, stopLimit("BUY", "1010", "1020", "3"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1015", "1"), NOW);
    exchange.execute(bob, limit("SELL", "1010", "1"), NOW);
    exchange.execute(carol, limit("BUY", "1010", "1"), NOW);
    expect(lastEvents(world).slice(-3)).toEqual([
      ["TRIGGER", A],
      ["TRADE", A],
      ["TRADE", expect.any(String)],
    ]);
    expect(levels(exchange, "BUY")).toEqual([[1020, "2"]]);
    // 1015 paid, 2 × 1020 locked; of 3 × 1020 the better price came back at once.
    expect(money(exchange, alice, USDT)).toBe("996945/2040");
    expect(exchange.userTrades(alice, WHOLE_HISTORY)).toMatchObject([
      { isMaker: false, orderType: "STOP_LOSS_LIMIT", fee: fixed("0.0005") },
    ]);
  });

  test("a stop market buy whose lock covers it fills completely, however many decimals it has", () => {
    const world = at1000();
    const { exchange } = world;
    exchange.execute(alice, stopMarket("BUY", "1010", "1.123456789012345678"), NOW, { txHash: A });
    exchange.execute(bob, limit("SELL", "1010", "5"), NOW);
    tradeAt(world, "1010");
    expect(exchange.order(A)).toMatchObject({
      status: "FILLED",
      executedQty: fixed("1.123456789012345678"),
    });
  });

  test("an order of the same account in its way cancels a fired stop (D17)", () => {
    const world = at1000();
    const { exchange } = world;
    exchange.execute(alice, stopMarket("SELL", "990", "1"), NOW, { txHash: A });
    exchange.execute(alice, limit("BUY", "980", "1"), NOW, { txHash: B });
    tradeAt(world, "990");
    expect(exchange.order(A)?.status).toBe("CANCELED");
    expect(exchange.order(B)?.status).toBe("NEW");
  });

  test("one stop's trades fire the next stop in the same block", () => {
    const world = at1000();
    const { exchange, blocks } = world;
    exchange.execute(alice, stopMarket("SELL", "990", "1"), NOW, { txHash: A });
    exchange.execute(alice, stopMarket("SELL", "980", "1"), NOW, { txHash: B });
    exchange.execute(alice, stopMarket("SELL", "970", "1"), NOW, { txHash: C });
    for (const price of ["980", "970", "960"]) exchange.execute(bob, limit("BUY", price, "1"), NOW);
    const before = blocks.length;
    tradeAt(world, "990");
    expect(blocks.length).toBe(before + 2);
    const fired = lastEvents(world).filter(([type]) => type === "TRIGGER");
    expect(fired.map(([, id]) => id)).toEqual([A, B, C]);
    expect(exchange.publicTrades(ETH_USDT, 4).map((trade) => trade.price)).toEqual([
      960, 970, 980, 990,
    ]);
  });

  test("when one sweep reaches several stops, the nearest fires first, and at equal prices the older one", () => {
    const world = at1000();
    const { exchange } = world;
    const stops = [
      ["1020", testHashWithLegs(20)],
      ["1010", testHashWithLegs(21)],
      ["1020", testHashWithLegs(22)],
      ["1010", testHashWithLegs(23)],
    ] as const;
    for (const [price, txHash] of stops) {
      exchange.execute(alice, stopLimit("SELL", price, "2000", "1"), NOW, { txHash });
    }
    exchange.execute(bob, limit("SELL", "1020", "1"), NOW);
    exchange.execute(carol, market("BUY", "1"), NOW);
    const fired = lastEvents(world).filter(([type]) => type === "TRIGGER");
    expect(fired.map(([, id]) => id)).toEqual([
      testHashWithLegs(21),
      testHashWithLegs(23),
      testHashWithLegs(20),
      testHashWithLegs(22),
    ]);
  });

  test("recorded trades fire stops as well (D35)", () => {
    const world = at1000();
    const { exchange } = world;
    exchange.execute(alice, stopMarket("SELL", "990", "1"), NOW, { txHash: A });
    const flow = exchange.recordedLiquidity(ETH_USDT);
    flow.depth(Float64Array.of(990, 5), new Float64Array(), NOW);
    flow.trade({ price: 990, quantity: 1, isBuyerMaker: true }, NOW);
    expect(exchange.order(A)).toMatchObject({ status: "FILLED", executedQuoteQty: fixed("990") });
  });
});

describe("modify (D23)", () => {
  test("a direction that came from the mid stays when the mid has moved", () => {
    const world = testExchange();
    const { exchange } = world;
    exchange.execute(bob, limit("BUY", "1000", "1"), NOW, { txHash: C });
    exchange.execute(bob, limit("SELL", "1002", "1"), NOW, { txHash: D });
    exchange.execute(alice, stopLimit("SELL", "1000", "990", "1"), NOW, { txHash: A });
    exchange.execute(bob, { type: "cancel", orderId: C }, NOW);
    exchange.execute(bob, { type: "cancel", orderId: D }, NOW);
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: undefined, quantity: fixed("2") },
      NOW,
      { txHash: B },
    );
    expect(exchange.order(B)).toMatchObject({ status: "NEW", orderType: "STOP_LOSS_LIMIT" });
  });

  test("a fired stop stays fired: its replacement enters the market at once", () => {
    const world = at1000();
    const { exchange } = world;
    exchange.execute(alice, stopLimit("SELL", "990", "995", "2"), NOW, { txHash: A });
    tradeAt(world, "990");
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("996"), quantity: undefined },
      NOW,
      { txHash: B },
    );
    expect(exchange.order(B)).toMatchObject({
      orderType: "STOP_LOSS_LIMIT",
      isTriggered: true,
      triggerPrice: fixed("990"),
      status: "NEW",
    });
    expect(levels(exchange, "SELL")).toEqual([[996, "2"]]);
    expect(lastEvents(world)).toEqual([
      ["CANCEL", A],
      ["NEW", B],
    ]);
  });

  test("a new price for a stop market order is REJECTED, and the original is canceled anyway", () => {
    const world = at1000();
    const { exchange } = world;
    exchange.execute(alice, stopMarket("SELL", "990", "2"), NOW, { txHash: A });
    exchange.execute(
      alice,
      { type: "modify", orderId: A, price: fixed("985"), quantity: undefined },
      NOW,
      { txHash: B },
    );
    expect(lastEvents(world)).toEqual([
      ["CANCEL", A],
      ["REJECTED", B],
    ]);
    expect(money(exchange, alice, ETH)).toBe("1000/0");
  });
});

test("cancel-all cancels waiting stops", () => {
  const world = at1000();
  const { exchange } = world;
  exchange.execute(alice, stopMarket("SELL", "990", "2"), NOW, { txHash: A });
  exchange.execute(alice, limit("SELL", "1100", "2"), NOW, { txHash: B });
  exchange.execute(alice, { type: "cancel-all" }, NOW);
  expect(lastEvents(world)).toEqual([
    ["CANCEL", A],
    ["CANCEL", B],
  ]);
  expect(fixedText(exchange.balances(alice)[0]?.locked ?? fixed("-1"))).toBe("0");
});
