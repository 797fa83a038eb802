import { fixedText } from "../domain/fixed.ts";
import type { AccountEvent, OrderEvent } from "../domain/order.ts";
import { priceText } from "../domain/price.ts";
import type { Market } from "../domain/market.ts";
import type {
  DepthLevel,
  OrderRecord,
  TickerRecord,
  TradeRecord,
  TransferRecord,
  UserTrade,
} from "../exchange/records.ts";
import type { SessionRecord } from "../exchange/session-book.ts";
import type { WireAccountEvent, WireOrderEvent } from "../spec/channels/user-event.ts";
import type { WireSessionWallet } from "../spec/endpoints/session-list.ts";
import type { WireTransfer } from "../spec/endpoints/transfers.ts";
import type {
  WireOpenOrder,
  WirePublicTrade,
  WireTicker,
  WireUserTrade,
} from "../spec/resources.ts";

/** Converts the exchange's records to the forms of §2 and §6.4. */

export function wireOrder(order: OrderRecord): WireOpenOrder {
  return {
    id: order.recordId,
    orderId: order.orderId,
    accountAddress: order.account,
    marketId: order.marketId,
    side: order.side,
    orderType: order.orderType,
    orderMode: order.orderMode,
    price: fixedText(order.price),
    origQty: fixedText(order.origQty),
    origQuoteOrderQty: fixedText(order.origQuoteOrderQty),
    isTrigger: order.isTrigger,
    isTriggered: order.isTriggered,
    triggerPrice: fixedText(order.triggerPrice),
    status: order.status,
    contingencyType: order.contingencyType,
    otoLegType: order.otoLegType,
    txHash: order.txHash,
    createdAt: order.createdAtMs,
    updatedAt: order.updatedAtMs,
    executedQty: fixedText(order.executedQty),
    executedQuoteQty: fixedText(order.executedQuoteQty),
  };
}

export function wireUserTrade(trade: UserTrade): WireUserTrade {
  return {
    id: trade.recordId,
    tradeId: trade.tradeId,
    orderId: trade.orderId,
    accountAddress: trade.account,
    marketId: trade.marketId,
    side: trade.side,
    orderType: trade.orderType,
    origPrice: fixedText(trade.origPrice),
    origQty: fixedText(trade.origQty),
    price: fixedText(trade.price),
    quantity: fixedText(trade.quantity),
    fee: fixedText(trade.fee),
    feeTokenId: trade.feeToken,
    isMaker: trade.isMaker,
    createdAt: trade.timeMs,
  };
}

export function wireTransfer(transfer: TransferRecord): WireTransfer {
  return {
    id: transfer.recordId,
    fromAddress: transfer.fromAddress,
    toAddress: transfer.toAddress,
    txType: transfer.txType,
    tokenId: transfer.tokenId,
    amount: fixedText(transfer.amount),
    // A transfer that the sequencer has processed is final (D34).
    status: "CONFIRMED",
    timestamp: transfer.timeMs,
    hash: transfer.txHash,
  };
}

export function wireSession(session: SessionRecord): WireSessionWallet {
  return {
    name: session.name,
    expiry: session.expirySec,
    createdAt: session.createdSec,
    ownerAddress: session.owner,
    sessionAddress: session.sessionWallet,
    applied: session.applied,
  };
}

export function wirePublicTrade(trade: TradeRecord): WirePublicTrade {
  return {
    tradeId: trade.tradeId,
    marketId: trade.marketId,
    price: priceText(trade.price),
    quantity: fixedText(trade.quantity),
    buyOrderId: trade.buyOrderId,
    sellOrderId: trade.sellOrderId,
    createdAt: trade.timeMs,
    isBuyerMaker: trade.isBuyerMaker,
  };
}

export function wireTicker(ticker: TickerRecord, market: Market): WireTicker {
  return {
    marketId: ticker.marketId,
    baseTokenId: market.baseToken,
    quoteTokenId: market.quoteToken,
    price: priceText(ticker.price),
    open24h: priceText(ticker.open24h),
    high24h: priceText(ticker.high24h),
    low24h: priceText(ticker.low24h),
    volume24h: fixedText(ticker.volume24h),
    quoteVolume24h: fixedText(ticker.quoteVolume24h),
  };
}

/** Levels as the `[price, quantity]` pairs of the streams. */
export function wireLevels(levels: readonly DepthLevel[]): [string, string][] {
  return levels.map((level) => [priceText(level.price), fixedText(level.quantity)]);
}

export function wireOrderEvent(event: OrderEvent): WireOrderEvent {
  const { order, fill } = event;
  return {
    topic: "ORDER",
    eventType: event.eventType,
    eventTime: event.timeMs,
    blockNumber: event.blockNumber,
    accountAddress: order.account,
    txHash: event.txHash,
    orderId: order.orderId,
    marketId: order.marketId,
    side: order.side,
    orderType: order.orderType,
    orderMode: order.orderMode,
    origPrice: fixedText(order.price),
    origQty: fixedText(order.origQty),
    origQuoteOrderQty: fixedText(order.origQuoteOrderQty),
    status: order.status,
    createdAt: order.createdAtMs,
    executedQty: fixedText(order.executedQty),
    executedQuoteQty: fixedText(order.executedQuoteQty),
    lastPrice: fill === undefined ? "0" : fixedText(fill.price),
    lastQty: fill === undefined ? "0" : fixedText(fill.quantity),
    fee: fill === undefined ? "0" : fixedText(fill.fee),
    // Null if no fee (§6.4), which includes executions at a rate of 0.
    feeTokenId: fill === undefined || fill.fee === 0n ? null : fill.feeToken,
    tradeId: fill?.tradeId ?? "",
    isMaker: fill?.isMaker ?? false,
  };
}

export function wireAccountEvent(event: AccountEvent): WireAccountEvent {
  const common = {
    topic: "ACCOUNT" as const,
    eventTime: event.timeMs,
    blockNumber: event.blockNumber,
    accountAddress: event.account,
    txHash: event.txHash,
    tokenId: event.tokenId,
    amount: fixedText(event.amount),
  };
  const { eventType, fromAddress, toAddress } = event;
  if (eventType !== "TRANSFER") return { ...common, eventType };
  return {
    ...common,
    eventType,
    fromAddress: fromAddress ?? event.account,
    toAddress: toAddress ?? event.account,
  };
}
