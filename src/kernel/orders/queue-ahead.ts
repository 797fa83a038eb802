import type { Trade } from "../../domain/depth.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";

/** Estimates what is ahead of own orders in the queue of their price, from the book and the public trades. */

/** Base token ahead of the order; undefined while it does not rest, or without a book to quote by. */
export function queueAhead(
  order: TrackedOrder,
  { openBook, market }: StrategySlot,
): number | undefined {
  const { side, price, phase } = order;
  if (openBook === undefined || phase !== "working" || market.lessOwn === undefined)
    return undefined;
  const others = market.lessOwn.quantityAt(side, price);
  order.queueAhead = Math.min(order.queueAhead ?? others, others);
  return order.queueAhead;
}

/** A public trade at the price of an order took what was ahead of it. */
export function followQueue(
  orders: readonly { readonly price: number; queueAhead: number | undefined }[],
  { price, quantity }: Trade,
): void {
  for (const order of orders) {
    if (order.price !== price || order.queueAhead === undefined) continue;
    order.queueAhead = Math.max(0, order.queueAhead - quantity);
  }
}
