import type { Market } from "../domain/market.ts";
import type { BlockBuilder } from "./block-builder.ts";
import { Order, type OrderInit } from "./order.ts";
import type { RecordIds } from "./record-ids.ts";

/** A limit order of recorded liquidity in the open block; its id is derived only when a trade needs it. */
export function flowOrder(
  recordIds: RecordIds,
  blocks: BlockBuilder,
  market: Market,
  terms: Pick<OrderInit, "account" | "side" | "price" | "quantity">,
): Order {
  return new Order({
    recordId: recordIds.next(),
    orderId: undefined,
    market,
    orderType: "LIMIT",
    orderMode: 0,
    timeMs: blocks.timeMs,
    ...terms,
  });
}
