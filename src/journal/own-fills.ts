import type { OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { Input, RestoredOrder } from "../kernel/input.ts";
import { believedInputs } from "./believed-inputs.ts";
import type { BatchEntry } from "./entry.ts";
import { placedOrders } from "./placed-orders.ts";

/** A fill of an own order, with the strategy that placed it. */
export interface StrategyFill {
  readonly strategy: string;
  readonly fill: Fill;
}

/** The fills of a run's own orders as it booked them, in the order of the journal, each once, without those that earlier runs have booked. */
export function* ownFills(batches: Iterable<BatchEntry>): Generator<StrategyFill> {
  const strategies = new Map<OrderId, string>();
  const seen = new Set<string>();
  for (const entry of batches) {
    for (const input of believedInputs(entry)) {
      for (const { orderId, strategy, tradeIds } of restoredBy(input)) {
        strategies.set(orderId, strategy);
        for (const tradeId of tradeIds) seen.add(`${orderId} ${tradeId}`);
      }
      for (const fill of fillsOf(input)) {
        const strategy = strategies.get(fill.orderId);
        const key = `${fill.orderId} ${fill.tradeId}`;
        // A list of fills repeats what events told, and may have trades of other programs.
        if (strategy === undefined || seen.has(key)) continue;
        seen.add(key);
        yield { strategy, fill };
      }
    }
    for (const { orderId, strategy } of placedOrders(entry)) strategies.set(orderId, strategy);
  }
}

/** The fills that an input tells of: own ones and, in a list, those of other programs. */
export function fillsOf(input: Input): readonly Fill[] {
  if (input.type === "fills") return input.fills;
  return input.type === "orderEvent" && input.event.fill !== undefined ? [input.event.fill] : [];
}

/** The orders that earlier runs left, open or given up. */
export function restoredBy(input: Input): readonly RestoredOrder[] {
  if (input.type !== "restored") return [];
  return [...input.restored.orders, ...(input.restored.givenUp ?? [])];
}
