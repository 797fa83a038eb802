import { expect } from "vitest";
import { list, orderOf, record, resultOf, take, type Json, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import {
  expectFields,
  fieldCases,
  isAddress,
  isDecimal,
  isFlag,
  isHash,
  isInteger,
  isIsoTime,
  isMarketId,
  isMs,
  isNumber,
  isOrderType,
  isSec,
  isSide,
  isStatus,
  isText,
  oneOf,
  type Seen,
} from "../fields.ts";
import {
  book,
  endedOrders,
  legIds,
  openOrders,
  print,
  sessions,
  trade,
  transfers,
  userTrades,
} from "../scenes.ts";

async function balance(client: VenueClient): Promise<Json> {
  await trade(client);
  const target = `/api/v1/wallet/balance?address=${client.alice.address}`;
  return record(resultOf(await client.get(target)));
}

/** Alice has sold 1 for 1800 less 0.0002 of it, and sells 1 more. */
async function balances(client: VenueClient): Promise<Seen> {
  return {
    found: list((await balance(client))["balances"]),
    are: [
      { tokenId: "1", locked: "1", unlocked: "98" },
      { tokenId: "2", locked: "0", unlocked: "251799.64" },
      { tokenId: "3", locked: "0", unlocked: "10" },
    ],
  };
}

async function sessionWallets(client: VenueClient): Promise<Seen> {
  const { alice, session } = client;
  const createdAt = client.nowSec();
  const expiry = createdAt + 1000;
  const signed = alice.session(1, session, expiry, { body: { name: "bot" } });
  expect((await client.send(signed)).status).toBe(200);
  client.advance(5000);
  const parties = { ownerAddress: alice.address, sessionAddress: session.address };
  return {
    found: await sessions(client, alice.address),
    are: [{ name: "bot", expiry, createdAt, ...parties, applied: true }],
  };
}

async function transferRecords(client: VenueClient): Promise<Seen> {
  const { alice, carol } = client;
  const to = carol.address;
  const parties = { fromAddress: alice.address, toAddress: to, status: "CONFIRMED" };
  const first = client.nowMs();
  const token = await take(client, alice.sign("tokenTransfer", { to, token: "2", value: "5.5" }));
  client.advance(1000);
  const native = await take(client, alice.sign("transfer", { to, value: "1.5" }));
  const [ofToken, ofNative] = [
    { id: 1, txType: "TOKEN_TRANSFER", tokenId: "2", amount: "5.5", timestamp: first, hash: token },
    { id: 2, txType: "TRANSFER", tokenId: "1", amount: "1.5", hash: native },
  ];
  return {
    found: await transfers(client, alice.address),
    are: [
      { ...parties, ...ofNative, timestamp: first + 1000 },
      { ...parties, ...ofToken },
    ],
  };
}

/** Orders of all kinds: two that traded, a stop that fired, one in quote token, one with legs. */
async function orders(client: VenueClient): Promise<Seen> {
  const { alice, bob } = client;
  const start = client.nowMs();
  const sell = await take(client, alice.limit(1, "1800", "2"));
  client.advance(1000);
  const buy = await take(client, bob.limit(0, "1805", "1"));
  const stop = await take(client, alice.stop(1, "1700", "1", { price: "1650" }));
  const quote = await take(client, bob.market(0, "900", 1));
  const tpsl = { tpLimit: "1900", slTrigger: "1500", slLimit: "1490" };
  const main = await take(client, alice.limit(0, "1600", "1", { tpsl }));
  const [, takeProfit, stopLoss] = legIds(main);
  client.advance(1000);
  await take(client, bob.limit(0, "1690", "0.1"));
  await take(client, alice.limit(1, "1690", "0.1"));
  const of = (id: number, orderId: string, change: Json): Json => ({
    id,
    orderId,
    accountAddress: alice.address,
    marketId: "1_2",
    side: "SELL",
    orderType: "LIMIT",
    orderMode: 0,
    origQty: "1",
    origQuoteOrderQty: "0",
    isTrigger: false,
    isTriggered: false,
    triggerPrice: "0",
    contingencyType: "NONE",
    otoLegType: "NONE",
    txHash: orderId,
    createdAt: start + 1000,
    updatedAt: start + 1000,
    executedQty: "0",
    executedQuoteQty: "0",
    ...change,
  });
  const ofBob = { accountAddress: bob.address, side: "BUY", status: "FILLED" };
  const leg = { status: "PENDING_NEW", contingencyType: "OCO", txHash: main };
  const are = [
    of(1, sell, {
      price: "1800",
      origQty: "2",
      status: "PARTIALLY_FILLED",
      createdAt: start,
      executedQty: "1.5",
      executedQuoteQty: "2700",
    }),
    of(2, buy, { ...ofBob, price: "1805", executedQty: "1", executedQuoteQty: "1800" }),
    of(3, stop, {
      orderType: "STOP_LOSS_LIMIT",
      price: "1650",
      isTrigger: true,
      isTriggered: true,
      triggerPrice: "1700",
      status: "NEW",
      updatedAt: start + 2000,
    }),
    of(4, quote, {
      ...ofBob,
      orderType: "MARKET",
      orderMode: 1,
      price: "0",
      origQty: "0",
      origQuoteOrderQty: "900",
      executedQty: "0.5",
      executedQuoteQty: "900",
    }),
    of(5, main, {
      side: "BUY",
      price: "1600",
      status: "NEW",
      contingencyType: "OTO",
      otoLegType: "WORKING_LEG",
    }),
    of(6, takeProfit, {
      ...leg,
      orderType: "TAKE_PROFIT_LIMIT",
      price: "1900",
      otoLegType: "TP_LEG",
    }),
    of(7, stopLoss, {
      ...leg,
      orderType: "STOP_LOSS_LIMIT",
      price: "1490",
      isTrigger: true,
      triggerPrice: "1500",
      otoLegType: "SL_LEG",
    }),
  ];
  const found = await Promise.all(are.map((one) => orderOf(client, String(one["orderId"]))));
  // The lists give the same.
  const listed = [
    ...(await openOrders(client, alice.address)),
    ...(await endedOrders(client, bob.address)),
  ];
  for (const one of found) {
    const again = listed.find(({ orderId }) => orderId === one["orderId"]);
    if (one["status"] !== "PENDING_NEW") expect(again).toEqual(one);
  }
  return { found, are };
}

async function fills(client: VenueClient): Promise<Seen> {
  const { alice, bob } = client;
  const sell = await take(client, alice.limit(1, "1800", "2"));
  client.advance(1000);
  const buy = await take(client, bob.limit(0, "1805", "1"));
  const both = {
    tradeId: "1",
    marketId: "1_2",
    orderType: "LIMIT",
    price: "1800",
    quantity: "1",
    createdAt: client.nowMs(),
  };
  return {
    found: [
      ...(await userTrades(client, alice.address)),
      ...(await userTrades(client, bob.address)),
    ],
    are: [
      {
        ...both,
        id: 2,
        orderId: sell,
        accountAddress: alice.address,
        side: "SELL",
        origPrice: "1800",
        origQty: "2",
        fee: "0.36",
        feeTokenId: "2",
        isMaker: true,
      },
      {
        ...both,
        id: 1,
        orderId: buy,
        accountAddress: bob.address,
        side: "BUY",
        origPrice: "1805",
        origQty: "1",
        fee: "0.0005",
        feeTokenId: "1",
        isMaker: false,
      },
    ],
  };
}

async function markets(client: VenueClient): Promise<Seen> {
  await trade(client);
  const at = new Date(client.nowMs()).toISOString();
  const of = (base: string, quote: string, ticker: string): Json => ({
    marketId: `${base}_${quote}`,
    description: `${ticker} on the paper venue`,
    baseTokenId: base,
    quoteTokenId: quote,
    exchange: "Touchline paper venue",
    ticker,
    type: "spot",
    minmov: 1,
    pricescale: 100_000_000,
    session: "24x7",
    hasIntraday: true,
    hasEmptyBars: false,
    takerFee: "0.0005",
    makerFee: "0.0002",
    listed: true,
    logoUrls: "",
    isDefaultMakerFee: true,
    isDefaultTakerFee: true,
    createdAt: at,
    updatedAt: at,
  });
  return {
    found: list(resultOf(await client.get("/api/v1/market"))),
    // At 1800 prices have one decimal.
    are: [
      { ...of("1", "2", "ETH/USDT"), pricescale: 10 },
      of("3", "2", "BTC/USDT"),
      { ...of("1", "3", "ETH/BTC"), listed: false },
    ],
  };
}

async function fourPrints(client: VenueClient): Promise<void> {
  for (const price of ["1800", "1810", "1790", "1805"]) await print(client, price);
}

async function tickers(client: VenueClient): Promise<Seen> {
  await fourPrints(client);
  return {
    found: list(resultOf(await client.get("/api/v1/market/ticker"))),
    are: [
      {
        marketId: "1_2",
        baseTokenId: "1",
        quoteTokenId: "2",
        price: "1805",
        open24h: "1800",
        high24h: "1810",
        low24h: "1790",
        volume24h: "4",
        quoteVolume24h: "7205",
      },
      {
        marketId: "3_2",
        baseTokenId: "3",
        quoteTokenId: "2",
        price: "0",
        open24h: "0",
        high24h: "0",
        low24h: "0",
        volume24h: "0",
        quoteVolume24h: "0",
      },
    ],
  };
}

async function tokens(client: VenueClient): Promise<Seen> {
  const of = (tokenId: string, symbol: string, l1Decimal: number): Json => ({
    tokenId,
    l1Address: `0x${"0".repeat(40)}`,
    l1Symbol: symbol,
    l1Name: symbol,
    l1Decimal,
    l2Symbol: symbol,
    l2Name: symbol,
    image: "",
  });
  return {
    found: list(resultOf(await client.get("/api/v1/market/tokens"))),
    are: [of("1", "ETH", 18), of("2", "USDT", 6), of("3", "BTC", 8)],
  };
}

async function prints(client: VenueClient): Promise<Seen> {
  const { alice, bob } = client;
  const { sell, buy } = await trade(client);
  const before = client.nowMs();
  const resting = await take(client, alice.limit(0, "1700", "1"));
  client.advance(1000);
  const taking = await take(client, bob.limit(1, "1700", "0.5"));
  const marketId = "1_2";
  return {
    found: list(resultOf(await client.get("/api/v1/market/trades?marketId=1_2"))),
    are: [
      {
        tradeId: "2",
        marketId,
        price: "1700",
        quantity: "0.5",
        buyOrderId: resting,
        sellOrderId: taking,
        createdAt: before + 1000,
        isBuyerMaker: true,
      },
      {
        tradeId: "1",
        marketId,
        price: "1800",
        quantity: "1",
        buyOrderId: buy,
        sellOrderId: sell,
        createdAt: before,
        isBuyerMaker: false,
      },
    ],
  };
}

async function depth(client: VenueClient): Promise<Seen> {
  await trade(client);
  await take(client, client.bob.limit(0, "1700", "1"));
  await take(client, client.bob.limit(0, "1750", "2"));
  await take(client, client.alice.limit(1, "1850", "3"));
  const updatedAt = client.nowMs();
  client.advance(1000);
  return {
    found: [record(resultOf(await client.get("/api/v1/market/depth?marketId=1_2")))],
    are: [
      {
        bids: [
          { price: "1750", quantity: "2" },
          { price: "1700", quantity: "1" },
        ],
        asks: [
          { price: "1800", quantity: "1" },
          { price: "1850", quantity: "3" },
        ],
        updatedAt,
        lastUpdatedId: 5,
      },
    ],
  };
}

async function candles(client: VenueClient): Promise<Seen> {
  await fourPrints(client);
  const now = client.nowSec();
  const target = `/market/candles?marketId=1_2&resolution=5&from=${now - 3600}`;
  return {
    found: list((await client.get(target)).result),
    are: [
      {
        marketId: "1_2",
        resolution: "5",
        timestamp: now - (now % 300),
        open: 1800,
        high: 1810,
        low: 1790,
        close: 1805,
        volume: 4,
        quoteVolume: 7205,
        tradeCount: 4,
      },
    ],
  };
}

const isLevels =
  (isSorted: (before: number, after: number) => boolean) =>
  (value: unknown): boolean => {
    const levels = list(value);
    return (
      levels.length > 1 &&
      levels.every(({ price, quantity }, at) => {
        const before = levels[at - 1];
        const isInOrder = before === undefined || isSorted(Number(before["price"]), Number(price));
        return isDecimal(price) && isDecimal(quantity) && Number(quantity) > 0 && isInOrder;
      })
    );
  };

const orderFields = [
  ["id", "database id", isInteger],
  ["orderId", "unique id, a transaction's hash", isHash],
  ["accountAddress", "who made it", isAddress],
  ["marketId", "its market", isMarketId],
  ["side", "BUY or SELL", isSide],
  ["orderType", "one of the order types", isOrderType],
  ["orderMode", "0 or 1", oneOf(0, 1)],
  ["price", "limit price in quote token", isDecimal],
  ["origQty", "original quantity in base token", isDecimal],
  ["origQuoteOrderQty", "original quantity in quote token", isDecimal],
  ["isTrigger", "is it a trigger order", isFlag],
  ["isTriggered", "has it been activated", isFlag],
  ["triggerPrice", "activation price, 0 without one", isDecimal],
  ["status", "one of the statuses", isStatus],
  ["contingencyType", "one of the contingency types", oneOf("NONE", "OCO", "OTO")],
  [
    "otoLegType",
    "one of the leg types",
    oneOf("NONE", "WORKING_LEG", "TP_LEG", "SL_LEG", "OCO_LEG"),
  ],
  ["txHash", "the transaction's hash", isHash],
  ["createdAt", "when it was made, ms", isMs],
  ["updatedAt", "when it last changed, ms", isMs],
  ["executedQty", "executed so far in base token", isDecimal],
  ["executedQuoteQty", "executed so far in quote token", isDecimal],
] as const;

export const resources: readonly ConformanceCase[] = [
  ...fieldCases(
    "2.2",
    [
      ["tokenId", "the token", isText],
      ["locked", "tied up in open orders", isDecimal],
      ["unlocked", "free to trade or withdraw", isDecimal],
    ],
    balances,
  ),
  {
    id: "C-2.2-04",
    line: "blockNumber: the block at which balances were read",
    run: async (client) => {
      // The two orders of the trade are two blocks.
      expect((await balance(client))["blockNumber"]).toBe(2);
    },
  },
  ...fieldCases(
    "2.3",
    [
      ["name", "display name", isText],
      ["expiry", "end, seconds", isSec],
      ["createdAt", "creation, seconds", isSec],
      ["ownerAddress", "the owner", isAddress],
      ["sessionAddress", "the address that trades", isAddress],
      ["applied", "is it active", oneOf(true)],
    ],
    sessionWallets,
  ),
  ...fieldCases(
    "2.4",
    [
      ["id", "record id", isInteger],
      ["fromAddress", "from whom", isAddress],
      ["toAddress", "to whom", isAddress],
      ["txType", "kind of transfer", isText],
      ["tokenId", "the token", isText],
      ["amount", "how much", isDecimal],
      ["status", "what became of it", isText],
      ["timestamp", "when, ms", isMs],
      ["hash", "the transaction", isHash],
    ],
    transferRecords,
  ),
  ...fieldCases("2.5", orderFields, orders),
  ...fieldCases(
    "2.6",
    [
      ["id", "database id", isInteger],
      ["tradeId", "unique trade id", isText],
      ["orderId", "the order", isHash],
      ["accountAddress", "whose trade", isAddress],
      ["marketId", "the market", isMarketId],
      ["side", "BUY or SELL", isSide],
      ["orderType", "type of the order", isOrderType],
      ["origPrice", "price of the order", isDecimal],
      ["origQty", "quantity of the order", isDecimal],
      ["price", "price of the execution", isDecimal],
      ["quantity", "quantity of the execution, base", isDecimal],
      ["fee", "fee of the execution", isDecimal],
      ["feeTokenId", "token of the fee", oneOf("1", "2")],
      ["isMaker", "did it rest", isFlag],
      ["createdAt", "when, ms", isMs],
    ],
    fills,
  ),
  ...fieldCases(
    "2.7",
    [
      ["marketId", "base and quote token", isMarketId],
      ["description", "description", isText],
      ["baseTokenId", "base token", isText],
      ["quoteTokenId", "quote token", isText],
      ["exchange", "name of the venue", isText],
      ["ticker", "symbols of both tokens", oneOf("ETH/USDT", "BTC/USDT", "ETH/BTC")],
      ["type", "kind of market", oneOf("spot")],
      ["minmov", "least move of the price, for charts", isInteger],
      ["pricescale", "scale of the price, for charts", isInteger],
      ["session", "trading hours", oneOf("24x7")],
      ["hasIntraday", "intraday data, for charts", isFlag],
      ["hasEmptyBars", "empty bars, for charts", isFlag],
      ["takerFee", "fee rate of takers", isDecimal],
      ["makerFee", "fee rate of makers", isDecimal],
      ["listed", "is it active", isFlag],
      ["logoUrls", "logos, may be empty", isText],
      ["isDefaultMakerFee", "is the maker fee the usual one", isFlag],
      ["isDefaultTakerFee", "is the taker fee the usual one", isFlag],
      ["createdAt", "when made, ISO", isIsoTime],
      ["updatedAt", "when changed, ISO", isIsoTime],
    ],
    markets,
  ),
  ...fieldCases(
    "2.8",
    [
      ["marketId", "the market", isMarketId],
      ["baseTokenId", "base token", isText],
      ["quoteTokenId", "quote token", isText],
      ["price", "last price", isDecimal],
      ["open24h", "price a day ago", isDecimal],
      ["high24h", "highest of a day", isDecimal],
      ["low24h", "lowest of a day", isDecimal],
      ["volume24h", "base volume of a day", isDecimal],
      ["quoteVolume24h", "quote volume of a day", isDecimal],
    ],
    tickers,
  ),
  {
    id: "C-2.8-10",
    line: "a ticker rolls over 24 hours: last, open, high, low, both volumes",
    run: async (client) => {
      const { alice, bob } = client;
      const printOf = async (price: string, quantity: string): Promise<void> => {
        await take(client, alice.limit(1, price, quantity));
        await take(client, bob.limit(0, price, quantity));
      };
      await printOf("1700", "1");
      client.advance(25 * 3_600_000);
      await printOf("1900", "1");
      await printOf("1800", "2");
      const reply = await client.get("/api/v1/market/ticker?marketId=1_2");
      expect(resultOf(reply)).toEqual([
        {
          marketId: "1_2",
          baseTokenId: "1",
          quoteTokenId: "2",
          price: "1800",
          open24h: "1700",
          high24h: "1900",
          low24h: "1800",
          volume24h: "3",
          quoteVolume24h: "5500",
        },
      ]);
    },
  },
  ...fieldCases(
    "2.9",
    [
      ["tokenId", "unique id", isText],
      ["l1Address", "contract on layer 1", isText],
      ["l1Symbol", "symbol on layer 1", isText],
      ["l1Name", "name on layer 1", isText],
      ["l1Decimal", "decimals on layer 1", isInteger],
      ["l2Symbol", "symbol on layer 2", isText],
      ["l2Name", "name on layer 2", isText],
      ["image", "logo", isText],
    ],
    tokens,
  ),
  ...fieldCases(
    "2.10",
    [
      ["tradeId", "unique id", isText],
      ["marketId", "the market", isMarketId],
      ["price", "price, quote", isDecimal],
      ["quantity", "quantity, base", isDecimal],
      ["buyOrderId", "hash of the buy", isHash],
      ["sellOrderId", "hash of the sell", isHash],
      ["createdAt", "when, ms", isMs],
      ["isBuyerMaker", "did the buyer rest", isFlag],
    ],
    prints,
  ),
  ...fieldCases(
    "2.11",
    [
      ["bids", "buys, highest first", isLevels((before, after) => before > after)],
      ["asks", "sells, lowest first", isLevels((before, after) => before < after)],
      ["updatedAt", "last change, ms", isMs],
      ["lastUpdatedId", "id of the last change", isInteger],
    ],
    depth,
  ),
  {
    id: "C-2.11-05",
    line: "a level's quantity is the sum of the orders at that price",
    run: async (client) => {
      await take(client, client.alice.limit(0, "1700", "1"));
      await take(client, client.bob.limit(0, "1700", "0.5"));
      await take(client, client.bob.limit(0, "1700", "0.25"));
      expect((await book(client)).bids).toEqual(["1700 x 1.75"]);
    },
  },
  ...fieldCases(
    "2.12",
    [
      ["marketId", "the market", isMarketId],
      ["resolution", "the interval's code", oneOf("5")],
      ["timestamp", "open of the interval, seconds", isSec],
    ],
    candles,
  ),
  {
    id: "C-2.12-04",
    line: "open, high, low, close: numbers",
    run: async (client) => {
      expectFields(
        (["open", "high", "low", "close"] as const).map((name) => [name, name, isNumber]),
        await candles(client),
      );
    },
  },
  ...fieldCases(
    "2.12",
    [
      ["volume", "base volume, a number", isNumber],
      ["quoteVolume", "quote volume, a number", isNumber],
      ["tradeCount", "number of trades", isInteger],
    ],
    candles,
    5,
  ),
];
