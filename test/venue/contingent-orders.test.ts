import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, type OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import type { SignableOrder } from "../../src/spec/sign-command.ts";
import type { SignableStop } from "../../src/spec/stop-command.ts";
import { decodeServerFrame } from "../../src/spec/stream.ts";
import { toHex } from "../../src/base/hex.ts";
import { commandData } from "../../src/spec/transaction.ts";
import { signedBytes } from "../support/transaction-bytes.ts";
import { START_MS, testCrypto, type TestTrader, testVenue } from "../support/venue.ts";

/** Stop orders and take-profit/stop-loss over REST and streams: lists, fields and events (§2.5, §3, §4.4, §6.4). */

type Venue = Awaited<ReturnType<typeof testVenue>>;

const market = marketId("1", "2");

function stop(trader: TestTrader, change: Partial<SignableStop> = {}) {
  return trader.sign({
    type: "stop",
    nonce: trader.nextNonce(),
    marketId: market,
    side: "SELL",
    stopPrice: 1700,
    orderType: "LIMIT",
    orderMode: 0,
    price: 1690,
    quantity: fixed("2"),
    ...change,
  });
}

function withLegs(trader: TestTrader, change: Partial<SignableOrder> = {}) {
  return trader.sign({
    type: "place",
    nonce: trader.nextNonce(),
    marketId: market,
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: 1800,
    quantity: fixed("1"),
    tpsl: { tpLimit: 1900, slTrigger: 1750, slLimit: undefined },
    ...change,
  });
}

/** The market's last trade was at this price; nothing rests. */
async function print({ post, alice, bob }: Venue, price: number) {
  await post("/api/v1/order", alice.limit("SELL", price, "0.1"));
  await post("/api/v1/order", bob.limit("BUY", price, "0.1"));
}

async function resultOf({ get }: Venue, path: string): Promise<unknown> {
  return ((await get(path)).body as { result: unknown }).result;
}

const show = (venue: Venue, id: OrderId) => resultOf(venue, `/api/v1/order/${id}`);

/** The user events of a trader, each validated against the interface. */
function listen({ server }: Venue, trader: TestTrader) {
  const socket = server.connect();
  socket.send({
    method: "subscribe",
    params: { channels: [`userEvent@${trader.address}`] },
    id: 1,
  });
  socket.drain();
  return () =>
    socket.drain().map((frame): Record<string, unknown> => {
      const read = decodeServerFrame(JSON.stringify(frame));
      if (!read.ok || read.value.type !== "push") throw new Error("a user event");
      expect(read.value.extraFields).toBe(0);
      return { ...read.value.push.payload };
    });
}

describe("stop orders", () => {
  test("are listed as open with their trigger, fire with a TRIGGER event, and then rest in the book", async () => {
    const venue = await testVenue();
    const { alice, post } = venue;
    await print(venue, 1800);
    const events = listen(venue, alice);
    const { tx, txHash } = stop(alice);
    expect((await post("/api/v1/order/trigger", { tx })).body).toEqual({
      code: 200,
      errMsg: "OK",
      result: txHash,
    });
    const record = {
      orderId: txHash,
      txHash,
      orderType: "STOP_LOSS_LIMIT",
      status: "NEW",
      price: "1690",
      origQty: "2",
      isTrigger: true,
      isTriggered: false,
      triggerPrice: "1700",
      contingencyType: "NONE",
      otoLegType: "NONE",
    };
    const open = `/api/v1/order/open?address=${alice.address}`;
    expect(await resultOf(venue, open)).toMatchObject([record]);
    expect(events()).toMatchObject([
      { eventType: "NEW", orderType: "STOP_LOSS_LIMIT", origPrice: "1690", status: "NEW" },
    ]);
    await print(venue, 1700);
    expect(events().at(-1)).toEqual({
      topic: "ORDER",
      eventType: "TRIGGER",
      eventTime: START_MS,
      blockNumber: 5,
      accountAddress: alice.address,
      txHash: expect.any(String),
      orderId: txHash,
      marketId: "1_2",
      side: "SELL",
      orderType: "STOP_LOSS_LIMIT",
      orderMode: 0,
      origPrice: "1690",
      origQty: "2",
      origQuoteOrderQty: "0",
      status: "NEW",
      createdAt: START_MS,
      executedQty: "0",
      executedQuoteQty: "0",
      lastPrice: "0",
      lastQty: "0",
      fee: "0",
      feeTokenId: null,
      tradeId: "",
      isMaker: false,
    });
    expect(await resultOf(venue, open)).toMatchObject([{ ...record, isTriggered: true }]);
    expect(await resultOf(venue, "/api/v1/market/depth?marketId=1_2")).toMatchObject({
      bids: [],
      asks: [{ price: "1690", quantity: "2" }],
    });
  });

  test("that break a rule are 200 and REJECTED, in the history and as an event; an unknown pair is 404", async () => {
    const venue = await testVenue();
    const { alice, post } = venue;
    const events = listen(venue, alice);
    // There is neither a trade yet nor a mid.
    const { tx, txHash } = stop(alice);
    expect((await post("/api/v1/order/trigger", { tx })).status).toBe(200);
    expect(await show(venue, txHash)).toMatchObject({ status: "REJECTED", isTrigger: true });
    expect(events()).toMatchObject([{ eventType: "REJECTED", executedQty: "0" }]);
    const unknown = stop(alice, { marketId: marketId("9", "2") });
    expect((await post("/api/v1/order/trigger", unknown)).status).toBe(404);
  });

  test("are refused at the path of plain orders, and plain orders at theirs", async () => {
    const { alice, post } = await testVenue();
    expect((await post("/api/v1/order", stop(alice))).status).toBe(400);
    expect((await post("/api/v1/order/trigger", withLegs(alice))).status).toBe(400);
  });
});

describe("take profit and stop loss", () => {
  test("has pending legs that are found by id but not listed, and then live as the specification says", async () => {
    const venue = await testVenue();
    const { alice, bob, post } = venue;
    const events = listen(venue, alice);
    const { tx, txHash } = withLegs(alice);
    await post("/api/v1/order", { tx });
    const { takeProfit, stopLoss } = legIdsOf(txHash);
    const open = `/api/v1/order/open?address=${alice.address}`;
    const history = `/api/v1/order?address=${alice.address}`;
    expect(await resultOf(venue, open)).toMatchObject([
      { orderId: txHash, contingencyType: "OTO", otoLegType: "WORKING_LEG" },
    ]);
    expect(await resultOf(venue, history)).toEqual([]);
    const leg = { status: "PENDING_NEW", contingencyType: "OCO", txHash, side: "SELL" };
    expect(await show(venue, takeProfit)).toMatchObject({
      ...leg,
      orderType: "TAKE_PROFIT_LIMIT",
      otoLegType: "TP_LEG",
      price: "1900",
      isTrigger: false,
      triggerPrice: "0",
    });
    expect(await show(venue, stopLoss)).toMatchObject({
      ...leg,
      orderType: "STOP_LOSS_MARKET",
      otoLegType: "SL_LEG",
      price: "0",
      isTrigger: true,
      isTriggered: false,
      triggerPrice: "1750",
    });
    expect(events().map((event) => event["eventType"])).toEqual(["NEW"]);

    await post("/api/v1/order", bob.limit("SELL", 1800, "1"));
    expect(events().map((event) => [event["eventType"], event["orderId"]])).toEqual([
      ["TRADE", txHash],
      ["NEW", takeProfit],
      ["NEW", stopLoss],
    ]);
    expect(await resultOf(venue, open)).toMatchObject([
      { orderId: stopLoss, status: "NEW", origQty: "0.9998" },
      { orderId: takeProfit, status: "NEW", origQty: "0.9998" },
    ]);

    await post("/api/v1/order", bob.limit("BUY", 1900, "1"));
    expect(events()).toMatchObject([
      { eventType: "TRADE", orderId: takeProfit, status: "FILLED", executedQty: "0.9998" },
      { eventType: "CANCEL", orderId: stopLoss, status: "CANCELED", fee: "0", feeTokenId: null },
    ]);
    expect(await resultOf(venue, history)).toMatchObject([
      { orderId: stopLoss, status: "CANCELED" },
      { orderId: takeProfit, status: "FILLED" },
      { orderId: txHash, status: "FILLED" },
    ]);
    expect(await resultOf(venue, open)).toEqual([]);
  });

  test("has legs that can be canceled by id but not modified", async () => {
    const venue = await testVenue();
    const { alice, post } = venue;
    const { tx, txHash } = withLegs(alice);
    await post("/api/v1/order", { tx });
    const { takeProfit, stopLoss } = legIdsOf(txHash);
    const nonce = alice.nextNonce();
    const modify = alice.sign({
      type: "modify",
      nonce,
      orderId: takeProfit,
      newPrice: 1950,
      newQty: undefined,
    });
    expect((await post("/api/v1/order/modify", modify)).status).toBe(400);
    const cancel = alice.sign({ type: "cancel", nonce: alice.nextNonce(), orderId: stopLoss });
    expect((await post("/api/v1/order/cancel", cancel)).status).toBe(200);
    expect(await show(venue, takeProfit)).toMatchObject({ status: "CANCELED" });
    expect(await show(venue, txHash)).toMatchObject({ status: "NEW" });
  });

  test.each([
    ["on a market order", { orderType: 1, price: "0" }, {}],
    ["without slTrigger", {}, { slTrigger: undefined }],
    ["with a field more", {}, { trailing: "5" }],
    ["with a price that is no text", {}, { tpLimit: 1900 }],
  ])("%s is 400, and no order", async (_, order, tpsl) => {
    const venue = await testVenue();
    const { alice, post } = venue;
    const context = {
      l1owner: alice.address,
      baseToken: "1",
      quoteToken: "2",
      side: 0,
      price: "1800",
      quantity: "1",
      orderType: 0,
      orderMode: 0,
      tpsl: { tpLimit: "1900", slTrigger: "1750", ...tpsl },
      ...order,
    };
    const crypto = await testCrypto();
    const transaction = {
      chainId: 1001,
      nonce: START_MS,
      gasLimit: 196_608,
      data: commandData(0x21, JSON.stringify(context)),
    };
    const signer = crypto.signer(new Uint8Array(32).fill(1));
    const tx = toHex(signedBytes(transaction, { signer, crypto }));
    expect((await post("/api/v1/order", { tx })).body).toMatchObject({
      code: 400,
      errMsg: expect.stringContaining("tpsl"),
    });
    expect(await resultOf(venue, `/api/v1/order?address=${alice.address}`)).toEqual([]);
  });
});
