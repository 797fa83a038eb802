import { decimalNumber } from "../base/decimal-number.ts";
import { TransportError } from "../base/error.ts";
import type { BookSnapshot, DepthEvent, FlatLevels, Trade } from "../domain/depth.ts";
import { parseFixed, type Fixed } from "../domain/fixed.ts";
import { gridRules } from "../domain/grid-rules.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import {
  type AccountEvent,
  type Balance,
  type Fill,
  type OrderEvent,
  type OrderReport,
  receivedToken,
  type Transfer,
  transferOf,
} from "../domain/order.ts";
import { unixMs } from "../domain/time.ts";
import type { PayloadOf } from "../spec/channel.ts";
import type { Channels } from "../spec/channels.ts";
import type { WireAccountEvent, WireOrderEvent } from "../spec/channels/user-event.ts";
import type { WireBalance } from "../spec/endpoints/balance.ts";
import type { WireOrderBook } from "../spec/endpoints/depth.ts";
import type { WireMarket } from "../spec/endpoints/market.ts";
import type { WireTransfer } from "../spec/endpoints/transfers.ts";
import type { WireOrder, WirePublicTrade, WireUserTrade } from "../spec/resources.ts";
import { NUMBERS_MAX, NumberBlock } from "./number-block.ts";

/** Turns decoded wire messages into domain types. Ids and addresses become lower case (D4). */

/** Reads decimal text as an exact amount. Throws `VENUE_UNREADABLE` beyond 26 decimals, which `Fixed` cannot hold. */
function money(text: string): Fixed {
  const value = parseFixed(text);
  if (value === undefined) {
    throw new TransportError(
      "unknown",
      "VENUE_UNREADABLE",
      `The venue sent an amount that is too precise to keep: ${text.slice(0, 60)}.`,
    );
  }
  return value;
}

function orderIdOf(text: string): OrderId {
  return text.toLowerCase() as OrderId;
}

function addressFrom(text: string): Address {
  return text.toLowerCase() as Address;
}

const block = new NumberBlock();

/** Flattens `[price, quantity]` pairs into one array: price, quantity, price, quantity, … */
export function flatLevels(levels: readonly (readonly [string, string])[]): FlatLevels {
  const room = 2 * levels.length;
  // The long list of a snapshot gets an array to itself.
  const isLong = room > NUMBERS_MAX;
  const start = isLong ? 0 : block.begin(room);
  const numbers = isLong ? new Float64Array(room) : block.numbers;
  let at = start;
  for (const [price, quantity] of levels) {
    numbers[at] = decimalNumber(price);
    numbers[at + 1] = decimalNumber(quantity);
    at += 2;
  }
  if (isLong) return numbers;
  block.count = at;
  return numbers.subarray(start, at);
}

export function bookFrom(marketId: MarketId, wire: WireOrderBook): BookSnapshot {
  const flat = (levels: WireOrderBook["bids"]): FlatLevels =>
    flatLevels(levels.map(({ price, quantity }) => [price, quantity] as const));
  return {
    marketId,
    lastId: wire.lastUpdatedId,
    timeMs: unixMs(wire.updatedAt),
    bids: flat(wire.bids),
    asks: flat(wire.asks),
  };
}

/** A `depth@` payload (§6.3). */
export function depthFrom(wire: PayloadOf<Channels["depth"]>): DepthEvent {
  return {
    marketId: wire.marketId as MarketId,
    firstId: wire.firstId,
    finalId: wire.finalId,
    timeMs: unixMs(wire.time),
    bids: flatLevels(wire.bids),
    asks: flatLevels(wire.asks),
  };
}

/** A `depthSnapshot@` payload (§6.3). */
export function auditFrom(wire: PayloadOf<Channels["depthSnapshot"]>): BookSnapshot {
  return {
    marketId: wire.marketId as MarketId,
    lastId: wire.lastUpdateId,
    timeMs: unixMs(wire.time),
    bids: flatLevels(wire.bids),
    asks: flatLevels(wire.asks),
  };
}

export function tradeFrom(wire: WirePublicTrade): Trade {
  return {
    marketId: wire.marketId as MarketId,
    tradeId: wire.tradeId,
    price: Number(wire.price),
    quantity: Number(wire.quantity),
    timeMs: unixMs(wire.createdAt),
    isBuyerMaker: wire.isBuyerMaker,
    buyOrderId: orderIdOf(wire.buyOrderId),
    sellOrderId: orderIdOf(wire.sellOrderId),
  };
}

export function marketFrom(wire: WireMarket): Market {
  return {
    marketId: wire.marketId as MarketId,
    baseToken: wire.baseTokenId as TokenId,
    quoteToken: wire.quoteTokenId as TokenId,
    ticker: wire.ticker,
    makerFee: money(wire.makerFee),
    takerFee: money(wire.takerFee),
    listed: wire.listed,
    rules: gridRules.spec,
  };
}

export function balanceFrom(wire: WireBalance): Balance {
  return {
    tokenId: wire.tokenId as TokenId,
    locked: money(wire.locked),
    unlocked: money(wire.unlocked),
  };
}

export function orderFrom(wire: WireOrder): OrderReport {
  return {
    orderId: orderIdOf(wire.orderId),
    account: addressFrom(wire.accountAddress),
    marketId: wire.marketId as MarketId,
    side: wire.side,
    orderType: wire.orderType,
    // The venue may omit it (§2.5); then the quantity field that is set tells the mode.
    orderMode: wire.orderMode ?? (money(wire.origQuoteOrderQty) > 0n ? 1 : 0),
    price: money(wire.price),
    origQty: money(wire.origQty),
    origQuoteOrderQty: money(wire.origQuoteOrderQty),
    executedQty: money(wire.executedQty),
    executedQuoteQty: money(wire.executedQuoteQty),
    status: wire.status,
    createdAtMs: unixMs(wire.createdAt),
    updatedAtMs: unixMs(wire.updatedAt),
    ...(wire.isTrigger === true ? { isTriggered: wire.isTriggered === true } : {}),
  };
}

export function fillFrom(wire: WireUserTrade): Fill {
  return {
    tradeId: wire.tradeId,
    orderId: orderIdOf(wire.orderId),
    marketId: wire.marketId as MarketId,
    side: wire.side,
    price: money(wire.price),
    quantity: money(wire.quantity),
    fee: money(wire.fee),
    feeToken: wire.feeTokenId as TokenId,
    isMaker: wire.isMaker,
    timeMs: unixMs(wire.createdAt),
  };
}

export function orderEventFrom(wire: WireOrderEvent): OrderEvent {
  const orderId = orderIdOf(wire.orderId);
  const marketId = wire.marketId as MarketId;
  const timeMs = unixMs(wire.eventTime);
  return {
    eventType: wire.eventType,
    order: {
      orderId,
      account: addressFrom(wire.accountAddress),
      marketId,
      side: wire.side,
      orderType: wire.orderType,
      orderMode: wire.orderMode,
      price: money(wire.origPrice),
      origQty: money(wire.origQty),
      origQuoteOrderQty: money(wire.origQuoteOrderQty),
      executedQty: money(wire.executedQty),
      executedQuoteQty: money(wire.executedQuoteQty),
      status: wire.status,
      createdAtMs: unixMs(wire.createdAt),
      updatedAtMs: timeMs,
    },
    fill:
      wire.eventType !== "TRADE"
        ? undefined
        : {
            tradeId: wire.tradeId,
            orderId,
            marketId,
            side: wire.side,
            price: money(wire.lastPrice),
            quantity: money(wire.lastQty),
            fee: money(wire.fee),
            // Null when there was no fee (§6.4); we record a zero fee in the received token.
            feeToken: (wire.feeTokenId ?? receivedToken(marketId, wire.side)) as TokenId,
            isMaker: wire.isMaker,
            timeMs,
          },
    blockNumber: wire.blockNumber,
    timeMs,
    txHash: wire.txHash.toLowerCase(),
  };
}

export function accountEventFrom(wire: WireAccountEvent): AccountEvent {
  const isTransfer = wire.eventType === "TRANSFER";
  return {
    eventType: wire.eventType,
    account: addressFrom(wire.accountAddress),
    tokenId: wire.tokenId as TokenId,
    amount: money(wire.amount),
    fromAddress: isTransfer ? addressFrom(wire.fromAddress) : undefined,
    toAddress: isTransfer ? addressFrom(wire.toAddress) : undefined,
    blockNumber: wire.blockNumber,
    timeMs: unixMs(wire.eventTime),
    txHash: wire.txHash.toLowerCase(),
  };
}

/** `owner`: the account whose list has the row. */
export function transferFrom(wire: WireTransfer, owner: Address): Transfer {
  return transferOf(owner, {
    fromAddress: addressFrom(wire.fromAddress),
    toAddress: addressFrom(wire.toAddress),
    tokenId: wire.tokenId as TokenId,
    amount: money(wire.amount),
    timeMs: unixMs(wire.timestamp),
    txHash: wire.hash.toLowerCase(),
    status: wire.status,
  });
}
