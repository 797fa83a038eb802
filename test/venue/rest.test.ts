import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/spec/endpoints.ts";
import { commandData } from "../../src/spec/transaction.ts";
import { signedBytes } from "../support/transaction-bytes.ts";
import { toHex } from "../../src/base/hex.ts";
import { START_MS, strangeHash, testCrypto, TestTrader, testVenue } from "../support/venue.ts";

const ok = (result: unknown) => ({ code: 200, errMsg: "OK", result });
const refused = (code: number, text: string | RegExp) => ({
  code,
  errMsg: expect.stringMatching(text),
  result: null,
});
const DAY = 86_400_000;

describe("routes and envelopes (D11)", () => {
  test("every endpoint of the specification responds on its path", async () => {
    const { server } = await testVenue();
    for (const { method, path } of Object.values(endpoints)) {
      const response = await server.request(
        method,
        path.replace("{orderId}", strangeHash(1)),
        "{}",
      );
      const body = JSON.parse(response.body) as { errMsg?: string };
      expect([path, body.errMsg?.startsWith("There is no /")]).toEqual([
        path,
        path.includes("candles") ? undefined : false,
      ]);
      expect(response.headers?.["content-type"]).toBe("application/json");
    }
  });

  test("an unknown path is 404, a wrong method 405 with Allow, a body over 64 KiB 413", async () => {
    const { get, post } = await testVenue();
    expect(await get("/api/v2/market")).toMatchObject({
      status: 404,
      body: refused(404, "/api/v2/market"),
    });
    expect(await post("/api/v1/market", {})).toMatchObject({
      status: 405,
      body: refused(405, "GET"),
      headers: { allow: "GET" },
    });
    // A path with a parameter does not match another endpoint's path.
    expect((await get("/api/v1/order/cancel")).status).toBe(405);
    expect(await post("/api/v1/order/cancel", { tx: "0".repeat(65_537) })).toMatchObject({
      status: 413,
      body: refused(413, "65536"),
    });
    expect((await post("/market/candles", {})).body).toEqual({
      success: false,
      errorCode: "METHOD_NOT_ALLOWED",
      message: expect.any(String),
    });
  });

  test("an error names its field", async () => {
    const { get, post } = await testVenue();
    expect((await get("/api/v1/market/trades")).body).toEqual(refused(400, "marketId"));
    expect((await get("/api/v1/market/trades?marketId=1_2&limit=1001")).body).toEqual(
      refused(400, "limit"),
    );
    expect((await get("/api/v1/market/depth?marketId=1_2&limit=0")).body).toEqual(
      refused(400, "limit"),
    );
    expect((await get("/api/v1/market/depth?marketId=1_2&marketId=1_2")).body).toEqual(
      refused(400, "marketId is given twice"),
    );
    expect((await get("/api/v1/wallet/balance?address=0x12")).body).toEqual(
      refused(400, "address"),
    );
    expect((await post("/api/v1/order", "{")).body).toEqual(refused(400, "JSON"));
    expect((await post("/api/v1/order", {})).body).toEqual(refused(400, "tx"));
  });
});

describe("market data", () => {
  test("time, markets and tokens have the specified form", async () => {
    const { get } = await testVenue();
    expect((await get("/time")).body).toEqual(ok({ serverTime: START_MS }));
    const { body } = await get("/api/v1/market");
    expect(body).toMatchObject(
      ok([
        {
          marketId: "1_2",
          ticker: "ETH/USDT",
          makerFee: "0.0002",
          takerFee: "0.0005",
          listed: true,
        },
      ]),
    );
    expect(endpoints.market.result.safeParse((body as { result: unknown }).result).success).toBe(
      true,
    );
    expect((await get("/api/v1/market/tokens")).body).toMatchObject(
      ok([{ tokenId: "1", l2Symbol: "ETH" }, { tokenId: "2" }]),
    );
  });

  test("a trade shows in the book, trades, ticker and candles", async () => {
    const { get, post, alice, bob, clock } = await testVenue();
    expect((await get("/api/v1/market/ticker?marketId=1_2")).body).toMatchObject(
      ok([{ price: "0", volume24h: "0" }]),
    );
    const sell = alice.limit("SELL", 1834.5, "2.50");
    const buy = bob.limit("BUY", 1834.5, "1");
    await post("/api/v1/order", sell);
    clock.advance(1000);
    await post("/api/v1/order", buy);
    expect((await get("/api/v1/market/depth?marketId=1_2")).body).toEqual(
      ok({
        bids: [],
        asks: [{ price: "1834.5", quantity: "1.5" }],
        updatedAt: START_MS + 1000,
        lastUpdatedId: 2,
      }),
    );
    expect((await get("/api/v1/market/trades?marketId=1_2")).body).toEqual(
      ok([
        {
          tradeId: "1",
          marketId: "1_2",
          price: "1834.5",
          quantity: "1",
          buyOrderId: buy.txHash,
          sellOrderId: sell.txHash,
          createdAt: START_MS + 1000,
          isBuyerMaker: false,
        },
      ]),
    );
    expect((await get("/api/v1/market/ticker")).body).toMatchObject(
      ok([{ price: "1834.5", volume24h: "1", quoteVolume24h: "1834.5" }]),
    );
    const sec = START_MS / 1000;
    expect((await get(`/market/candles?marketId=1_2&resolution=1&from=${sec}`)).body).toEqual({
      success: true,
      result: [
        {
          marketId: "1_2",
          resolution: "1",
          timestamp: sec,
          open: 1834.5,
          high: 1834.5,
          low: 1834.5,
          close: 1834.5,
          volume: 1,
          quoteVolume: 1834.5,
          tradeCount: 1,
        },
      ],
    });
  });

  test("unknown markets are 404, and unlisted ones have no ticker", async () => {
    const { get } = await testVenue({ markets: [{ base: "1", quote: "2", listed: false }] });
    for (const path of ["ticker", "trades", "depth"]) {
      expect((await get(`/api/v1/market/${path}?marketId=9_9`)).status).toBe(404);
    }
    expect((await get("/api/v1/market/ticker")).body).toEqual(ok([]));
    expect((await get("/api/v1/market/depth?marketId=1_2")).status).toBe(200);
  });

  test("candles have their own form of failure, always with 400 (D32)", async () => {
    const { get } = await testVenue();
    const fails = { success: false, errorCode: "INVALID_PARAM", message: expect.any(String) };
    for (const query of [
      "marketId=9_9&resolution=1M",
      "marketId=1_2&resolution=7",
      "marketId=1_2",
      "marketId=1_2&resolution=1D",
    ]) {
      expect(await get(`/market/candles?${query}`)).toMatchObject({ status: 400, body: fails });
    }
    expect((await get("/market/candles?marketId=1_2&resolution=1D")).body).toMatchObject({
      message: expect.stringContaining("maximum of 1000 data points"),
    });
    expect((await get("/market/candles?marketId=1_2&resolution=1M")).body).toEqual({
      success: true,
      result: [],
    });
    const from = START_MS / 1000;
    expect(
      (await get(`/market/candles?marketId=1_2&resolution=1&from=${from}&to=${from + 999 * 60}`))
        .status,
    ).toBe(200);
    expect(
      (await get(`/market/candles?marketId=1_2&resolution=1&from=${from}&to=${from + 1000 * 60}`))
        .status,
    ).toBe(400);
  });
});

describe("signed transactions (§4.4, D5, D10)", () => {
  test("orders can be placed, shown, modified and canceled", async () => {
    const { get, post, alice } = await testVenue();
    const place = alice.limit("BUY", 1800, "1");
    expect(await post("/api/v1/order", place)).toMatchObject({
      status: 200,
      body: ok(place.txHash),
    });
    expect(
      (await get(`/api/v1/order/${place.txHash.toUpperCase().replace("0X", "0x")}`)).body,
    ).toMatchObject(
      ok({
        orderId: place.txHash,
        accountAddress: alice.address,
        status: "NEW",
        price: "1800",
        origQty: "1",
        txHash: place.txHash,
      }),
    );
    const modify = alice.sign({
      type: "modify",
      nonce: alice.nextNonce(),
      orderId: place.txHash,
      newPrice: 1801,
      newQty: undefined,
    });
    expect((await post("/api/v1/order/modify", modify)).body).toEqual(ok(modify.txHash));
    const cancel = alice.sign({
      type: "cancel",
      nonce: alice.nextNonce(),
      orderId: modify.txHash,
    });
    expect((await post("/api/v1/order/cancel", cancel)).body).toEqual(ok(cancel.txHash));
    const all = alice.sign({ type: "cancel-all", nonce: alice.nextNonce() });
    expect((await post("/api/v1/order/cancel/all", all)).body).toEqual(ok(all.txHash));
    expect((await get(`/api/v1/order?address=${alice.address}`)).body).toMatchObject(
      ok([
        { orderId: modify.txHash, status: "CANCELED" },
        { orderId: place.txHash, status: "CANCELED" },
      ]),
    );
  });

  test("command and endpoint must belong together", async () => {
    const { post, alice } = await testVenue();
    const place = alice.limit("BUY", 1800, "1");
    expect((await post("/api/v1/order/cancel", place)).body).toEqual(refused(400, "/api/v1/order"));
  });

  test("an order that breaks a rule is 200 with its hash, and REJECTED", async () => {
    const { get, post, alice } = await testVenue();
    const place = alice.limit("BUY", 1800, "1000");
    expect((await post("/api/v1/order", place)).body).toEqual(ok(place.txHash));
    expect((await get(`/api/v1/order/${place.txHash}`)).body).toMatchObject(
      ok({ status: "REJECTED" }),
    );
  });

  test("repeated bytes get the same result, a used nonce is 409, and another signer is 401", async () => {
    const { venue, post, alice, clock } = await testVenue();
    const place = alice.limit("BUY", 1800, "1");
    await post("/api/v1/order", place);
    const { blockNumber } = venue.exchange;
    expect((await post("/api/v1/order", place)).body).toEqual(ok(place.txHash));
    expect(venue.exchange.blockNumber).toBe(blockNumber);
    const crypto = await testCrypto();
    const again = new TestTrader(crypto, 1, clock);
    expect((await post("/api/v1/order", again.limit("BUY", 1801, "1"))).status).toBe(409);
    const thief = new TestTrader(crypto, 3, clock, alice.address);
    expect((await post("/api/v1/order", thief.limit("BUY", 1800, "1"))).status).toBe(401);
  });

  test("malformed transactions are 400", async () => {
    const { post, alice } = await testVenue();
    const { tx } = alice.limit("BUY", 1800, "1");
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(1));
    const made = (byte: number, text: string, chainId = 1001, gasLimit = 0x30000): string => {
      const transaction = { chainId, nonce: 0, gasLimit, data: commandData(byte, text) };
      return toHex(signedBytes(transaction, { signer, crypto }));
    };
    const context = `{"l1owner":"${alice.address}","orderId":"${strangeHash(1)}"}`;
    for (const bad of [
      tx.slice(0, -2),
      `${tx}00`,
      "0xzz",
      made(0x22, context, 1002),
      made(0x22, context, 1001, 20_999),
      made(0x7f, context),
      made(0x22, "{"),
      made(0x22, context.replace("}", ',"extra":1}')),
    ]) {
      expect((await post("/api/v1/order/cancel", { tx: bad })).status).toBe(400);
    }
    expect((await post("/api/v1/order/cancel", { tx: made(0x22, context) })).status).toBe(404);
  });
});

describe("lists (D14, D15)", () => {
  test.each([
    ["from=1&to=0", 400],
    [`from=${START_MS - 91 * DAY}&to=${START_MS}`, 400],
    [`from=${START_MS - 90 * DAY}&to=${START_MS}`, 200],
    [`from=${START_MS - 731 * DAY}&to=${START_MS - 700 * DAY}`, 400],
    [`from=${START_MS - 730 * DAY}&to=${START_MS - 700 * DAY}`, 200],
    [`to=${START_MS}`, 400],
    [`from=${START_MS - 1000}&to=${START_MS + 2000}`, 200],
    [`from=${START_MS - 1000}&to=${START_MS + 2001}`, 400],
    [`from=${START_MS + 2001}`, 400],
    [`from=${START_MS - DAY}`, 200],
    ["", 200],
    ["from=0&to=0", 200],
    ["limit=501", 400],
    ["limit=500", 200],
    ["limit=0", 400],
    ["marketId=9_9", 404],
  ])("%s is %i in all three", async (query, status) => {
    const { get, alice } = await testVenue();
    for (const path of ["/api/v1/order/open", "/api/v1/order", "/api/v1/order/trade"]) {
      expect((await get(`${path}?address=${alice.address}&${query}`)).status).toBe(status);
    }
  });

  test("an account's open orders, executions and balances are listed", async () => {
    const { get, post, alice, bob } = await testVenue();
    const sell = alice.limit("SELL", 2000, "3");
    await post("/api/v1/order", sell);
    await post("/api/v1/order", bob.limit("BUY", 2000, "1"));
    const { body } = await get(`/api/v1/order/open?address=${alice.address}`);
    expect(body).toMatchObject(
      ok([
        {
          orderId: sell.txHash,
          status: "PARTIALLY_FILLED",
          executedQty: "1",
          executedQuoteQty: "2000",
        },
      ]),
    );
    const trades = await get(`/api/v1/order/trade?address=${bob.address}`);
    expect(trades.body).toMatchObject(
      ok([{ side: "BUY", isMaker: false, fee: "0.0005", feeTokenId: "1", price: "2000" }]),
    );
    expect(
      endpoints["order-trade"].result.safeParse((trades.body as { result: unknown }).result)
        .success,
    ).toBe(true);
    expect((await get(`/api/v1/wallet/balance?address=${alice.address}`)).body).toEqual(
      ok({
        balances: [
          { tokenId: "1", locked: "2", unlocked: "97" },
          { tokenId: "2", locked: "0", unlocked: "251999.6" },
        ],
        blockNumber: 2,
      }),
    );
  });
});

describe("rate limit", () => {
  test("gives 429 with Retry-After per signer and per queried address", async () => {
    const { get, post, alice, bob, clock } = await testVenue({ rateLimit: { perSecond: 2 } });
    const place = () => post("/api/v1/order", alice.limit("BUY", 1800, "0.01"));
    expect([(await place()).status, (await place()).status]).toEqual([200, 200]);
    expect(await place()).toMatchObject({
      status: 429,
      body: refused(429, "Too many"),
      headers: { "retry-after": "1" },
    });
    expect((await post("/api/v1/order", bob.limit("BUY", 1800, "0.01"))).status).toBe(200);
    const read = () => get(`/api/v1/order/open?address=${alice.address}`);
    expect([(await read()).status, (await read()).status, (await read()).status]).toEqual([
      200, 200, 429,
    ]);
    expect((await get("/api/v1/market/depth?marketId=1_2")).status).toBe(200);
    clock.advance(500);
    expect((await place()).status).toBe(200);
  });
});

test("a taken port is an error, and close releases it", async () => {
  const { venue, server } = await testVenue();
  expect(venue.rest).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(venue.ws).toBe(`${venue.rest.replace("http", "ws")}/ws`);
  await venue.close();
  expect(() => server.connect()).toThrow("nobody listens");
});
