import { expect } from "vitest";
import { list, orderOf, record, resultOf, take, type Json, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import {
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
} from "../fields.ts";
import {
  applied,
  book,
  endedOrders,
  openOrders,
  sessions,
  trade,
  transfers,
  userTrades,
  withLegs,
} from "../scenes.ts";

async function balance(client: VenueClient): Promise<Json> {
  await trade(client);
  const target = `/api/v1/wallet/balance?address=${client.alice.address}`;
  return record(resultOf(await client.get(target)));
}

async function balances(client: VenueClient): Promise<readonly Json[]> {
  return list((await balance(client))["balances"]);
}

async function sessionWallets(client: VenueClient): Promise<readonly Json[]> {
  await applied(client);
  return sessions(client, client.alice.address);
}

async function transferRecords(client: VenueClient): Promise<readonly Json[]> {
  const { alice, carol } = client;
  const to = carol.address;
  await take(client, alice.sign("tokenTransfer", { to, token: "2", value: "5.5" }));
  await take(client, alice.sign("transfer", { to, value: "1.5" }));
  return transfers(client, alice.address);
}

/** All three lists of orders in which every field of the table stands. */
async function orders(client: VenueClient): Promise<readonly Json[]> {
  const { sell } = await trade(client);
  return [...(await openOrders(client, client.alice.address)), await orderOf(client, sell)];
}

async function fills(client: VenueClient): Promise<readonly Json[]> {
  await trade(client);
  const { alice, bob } = client;
  return [...(await userTrades(client, alice.address)), ...(await userTrades(client, bob.address))];
}

const answers = (target: string) => async (client: VenueClient) => {
  await trade(client);
  return list(resultOf(await client.get(target)));
};

async function depth(client: VenueClient): Promise<readonly Json[]> {
  await trade(client);
  await take(client, client.bob.limit(0, "1700", "1"));
  await take(client, client.bob.limit(0, "1750", "1"));
  await take(client, client.alice.limit(1, "1850", "1"));
  return [record(resultOf(await client.get("/api/v1/market/depth?marketId=1_2")))];
}

async function candles(client: VenueClient): Promise<readonly Json[]> {
  await trade(client);
  const from = client.nowSec() - 3600;
  return list((await client.get(`/market/candles?marketId=1_2&resolution=5&from=${from}`)).result);
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
  {
    id: "C-2.2-05",
    line: "what is locked stands in open orders, and comes back",
    run: async (client) => {
      const { alice } = client;
      const token = async () => {
        const target = `/api/v1/wallet/balance?address=${alice.address}`;
        const lines = list(record((await client.get(target)).result)["balances"]);
        return lines.find(({ tokenId }) => tokenId === "2");
      };
      const id = await take(client, alice.limit(0, "1800", "2"));
      expect(await token()).toEqual({ tokenId: "2", locked: "3600", unlocked: "246400" });
      await take(client, alice.cancel(id));
      expect(await token()).toEqual({ tokenId: "2", locked: "0", unlocked: "250000" });
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
  {
    id: "C-2.5-22",
    line: "completed orders and an order by its id have at least the fields named",
    run: async (client) => {
      const { buy } = await trade(client);
      const least = orderFields.filter(
        ([name]) =>
          !/^(id|orderMode|isTrigger|isTriggered|triggerPrice|contingencyType|otoLegType)$/.test(
            name,
          ),
      );
      expect(least).toHaveLength(14);
      const [ended] = await endedOrders(client, client.bob.address);
      for (const found of [ended, await orderOf(client, buy)]) {
        for (const [name, , check] of least) {
          expect([name, check(found?.[name])]).toEqual([name, true]);
        }
      }
    },
  },
  {
    id: "C-2.5-23",
    line: "the price of a market order is 0",
    run: async (client) => {
      await trade(client);
      const id = await take(client, client.bob.market(0, "0.5"));
      expect(await orderOf(client, id)).toMatchObject({ price: "0", triggerPrice: "0" });
    },
  },
  {
    id: "C-2.5-24",
    line: "a plain order is no trigger order; a stop loss leg is one, with its trigger price",
    run: async (client) => {
      const { sell } = await trade(client);
      expect(await orderOf(client, sell)).toMatchObject({
        isTrigger: false,
        isTriggered: false,
        triggerPrice: "0",
      });
      const [, , stopLoss] = await withLegs(client, { tpLimit: "1900", slTrigger: "1700" });
      expect(await orderOf(client, stopLoss)).toMatchObject({
        isTrigger: true,
        isTriggered: false,
        triggerPrice: "1700",
      });
    },
  },
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
    answers("/api/v1/market"),
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
    answers("/api/v1/market/ticker"),
  ),
  {
    id: "C-2.8-10",
    line: "a ticker rolls over 24 hours: last, open, high, low, both volumes",
    run: async (client) => {
      const { alice, bob } = client;
      const print = async (price: string, quantity: string): Promise<void> => {
        await take(client, alice.limit(1, price, quantity));
        await take(client, bob.limit(0, price, quantity));
      };
      await print("1700", "1");
      client.advance(25 * 3_600_000);
      await print("1900", "1");
      await print("1800", "2");
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
    answers("/api/v1/market/tokens"),
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
      ["isBuyerMaker", "did the buyer rest", oneOf(false)],
    ],
    answers("/api/v1/market/trades?marketId=1_2"),
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
      for (const candle of await candles(client)) {
        for (const name of ["open", "high", "low", "close"]) {
          expect(isNumber(candle[name])).toBe(true);
        }
      }
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
