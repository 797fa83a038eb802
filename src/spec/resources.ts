import { z } from "zod";
import { contingencyTypes, orderStatuses, orderTypes, otoLegTypes } from "../domain/order.ts";
import {
  addressText,
  counter,
  freeText,
  responseDecimal,
  responseFee,
  hashText,
  responseMarketId,
  timeMs,
  responseTokenId,
  tradeIdText,
  zeroOrOne,
} from "./fields.ts";

/** Shapes of §2 that several endpoints and channels share. */

export const sideField = z.enum(["BUY", "SELL"]);
export const orderTypeField = z.enum(orderTypes);
export const orderStatusField = z.enum(orderStatuses);

/** §2.5 with every field, as in the list of open orders. */
export const openOrder = z.object({
  /** Database id. Lists are sorted by it, newest first (§1.8). */
  id: counter,
  orderId: hashText,
  accountAddress: addressText,
  marketId: responseMarketId,
  side: sideField,
  orderType: orderTypeField,
  orderMode: zeroOrOne,
  /** `0` for market orders. */
  price: responseDecimal,
  origQty: responseDecimal,
  origQuoteOrderQty: responseDecimal,
  isTrigger: z.boolean(),
  isTriggered: z.boolean(),
  /** `0` for orders without a trigger. */
  triggerPrice: responseDecimal,
  status: orderStatusField,
  contingencyType: z.enum(contingencyTypes),
  otoLegType: z.enum(otoLegTypes),
  txHash: hashText,
  createdAt: timeMs,
  updatedAt: timeMs,
  executedQty: responseDecimal,
  executedQuoteQty: responseDecimal,
});
export type WireOpenOrder = z.output<typeof openOrder>;

/** §2.5 in the list of completed orders and by id. The interface does not show whether these fields are present, so they are optional. */
export const order = openOrder.partial({
  id: true,
  orderMode: true,
  isTrigger: true,
  isTriggered: true,
  triggerPrice: true,
  contingencyType: true,
  otoLegType: true,
});
/** A WireOpenOrder is also a WireOrder. */
export type WireOrder = z.output<typeof order>;

/** §2.6: an execution of one address. */
export const userTrade = z.object({
  id: counter,
  tradeId: tradeIdText,
  orderId: hashText,
  accountAddress: addressText,
  marketId: responseMarketId,
  side: sideField,
  /** The interface gives only examples (§2.6), so any text is accepted. */
  orderType: freeText,
  origPrice: responseDecimal,
  origQty: responseDecimal,
  price: responseDecimal,
  quantity: responseDecimal,
  fee: responseFee,
  feeTokenId: responseTokenId,
  isMaker: z.boolean(),
  createdAt: timeMs,
});
export type WireUserTrade = z.output<typeof userTrade>;

/** §2.8: 24-hour rolling window; also an element of the ticker stream. */
export const tickerRecord = z.object({
  marketId: responseMarketId,
  baseTokenId: responseTokenId,
  quoteTokenId: responseTokenId,
  price: responseDecimal,
  open24h: responseDecimal,
  high24h: responseDecimal,
  low24h: responseDecimal,
  volume24h: responseDecimal,
  quoteVolume24h: responseDecimal,
});
export type WireTicker = z.output<typeof tickerRecord>;

/** §2.10: a public trade, over REST and on the trade stream. */
export const publicTrade = z.object({
  tradeId: tradeIdText,
  marketId: responseMarketId,
  price: responseDecimal,
  quantity: responseDecimal,
  buyOrderId: hashText,
  sellOrderId: hashText,
  createdAt: timeMs,
  isBuyerMaker: z.boolean(),
});
export type WirePublicTrade = z.output<typeof publicTrade>;
