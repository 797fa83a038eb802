import type { OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { Input, RestoredOrder } from "../kernel/input.ts";
import type { BatchEntry } from "./entry.ts";
import { placedOrders } from "./placed-orders.ts";

/** A fill of an own order, with the strategy that placed it. */
export interface StrategyFill {
  readonly strategy: string;
  readonly fill: Fill;
}

/** The fills that a run booked, in the order of the journal. */
export function* ownFills(batches: Iterable<BatchEntry>): Generator<StrategyFill> {
  const strategies = new Map<OrderId, string>();
  for (const entry of batches) {
    for (const input of entry.batch.inputs) {
      for (const { orderId, strategy } of restoredBy(input)) strategies.set(orderId, strategy);
    }
    for (const { orderId, strategy } of placedOrders(entry)) strategies.set(orderId, strategy);
    for (const fill of entry.booked) {
      const strategy = strategies.get(fill.orderId);
      if (strategy !== undefined) yield { strategy, fill };
    }
  }
}

/** The orders that earlier runs left. */
export function restoredBy(input: Input): readonly RestoredOrder[] {
  return input.type === "restored" ? input.restored.orders : [];
}
