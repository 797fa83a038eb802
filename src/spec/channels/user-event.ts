import { z } from "zod";
import { defineChannel } from "../channel.ts";
import {
  addressText,
  counter,
  responseDecimal,
  responseFee,
  hashText,
  responseMarketId,
  timeMs,
  responseTokenId,
  tradeIdText,
  zeroOrOne,
} from "../fields.ts";
import { orderStatusField, orderTypeField, sideField } from "../resources.ts";

/** Common fields of every user event (§6.4). */
const common = {
  eventTime: timeMs,
  blockNumber: counter,
  accountAddress: addressText,
  /** The transaction that caused the event (D36). */
  txHash: hashText,
};

/** Topic ORDER (§6.4), the same fields for each of its five event types. */
export const orderUserEvent = z.object({
  topic: z.literal("ORDER"),
  eventType: z.enum(["NEW", "TRADE", "CANCEL", "TRIGGER", "REJECTED"]),
  ...common,
  orderId: hashText,
  marketId: responseMarketId,
  side: sideField,
  orderType: orderTypeField,
  orderMode: zeroOrOne,
  origPrice: responseDecimal,
  origQty: responseDecimal,
  origQuoteOrderQty: responseDecimal,
  status: orderStatusField,
  createdAt: timeMs,
  /** Cumulative, including this event. */
  executedQty: responseDecimal,
  executedQuoteQty: responseDecimal,
  /** Of this execution; `0` when the event is not an execution. */
  lastPrice: responseDecimal,
  lastQty: responseDecimal,
  fee: responseFee,
  /** Null when there is no fee. */
  feeTokenId: responseTokenId.nullable(),
  /** Empty when the event is not an execution. */
  tradeId: tradeIdText,
  /** Meaningful for TRADE only. */
  isMaker: z.boolean(),
});
export type WireOrderEvent = z.output<typeof orderUserEvent>;

const movement = {
  topic: z.literal("ACCOUNT"),
  ...common,
  tokenId: responseTokenId,
  amount: responseDecimal,
};

/** Topic ACCOUNT (§6.4). Only a transfer names sender and receiver. */
export const accountUserEvent = z.discriminatedUnion("eventType", [
  z.object({ ...movement, eventType: z.enum(["DEPOSIT", "WITHDRAW"]) }),
  z.object({
    ...movement,
    eventType: z.literal("TRANSFER"),
    fromAddress: addressText,
    toAddress: addressText,
  }),
]);
export type WireAccountEvent = z.output<typeof accountUserEvent>;

export const userEventChannel = defineChannel({
  name: "userEvent",
  section: "§6.4",
  summary: "Order and account events of an address.",
  parameter: "address",
  payload: z.discriminatedUnion("topic", [orderUserEvent, accountUserEvent]),
});
