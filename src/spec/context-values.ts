import { assert } from "../base/assert.ts";
import { fixed, type Fixed } from "../domain/fixed.ts";
import {
  addressOf,
  marketId,
  orderId,
  type Address,
  type MarketId,
  type OrderId,
} from "../domain/ids.ts";
import type { OrderMode } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";

/** Values of contexts, typed. Each expects text that the context's codec has checked. */

export function contextAddress(text: string): Address {
  const address = addressOf(text);
  assert(address !== undefined, "an address that the codec has checked");
  return address;
}

export function contextOrderId(text: string): OrderId {
  const id = orderId(text);
  assert(id !== undefined, "an order id that the codec has checked");
  return id;
}

/** Null and absent fields keep the current value (§4.4). */
export function optionalAmount(text: string | null | undefined): Fixed | undefined {
  return text === null || text === undefined ? undefined : fixed(text);
}

/** The fields that the contexts of orders and stop orders share. */
export interface OrderFields {
  readonly baseToken: string;
  readonly quoteToken: string;
  readonly side: 0 | 1;
  readonly orderType: 0 | 1;
  readonly orderMode: OrderMode;
  readonly price: string;
  readonly quantity: string;
}

export function orderTerms(context: OrderFields): {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  readonly price: Fixed;
  readonly quantity: Fixed;
} {
  return {
    marketId: marketId(context.baseToken, context.quoteToken),
    side: context.side === 0 ? "BUY" : "SELL",
    orderType: context.orderType === 0 ? "LIMIT" : "MARKET",
    orderMode: context.orderMode,
    price: fixed(context.price),
    quantity: fixed(context.quantity),
  };
}
