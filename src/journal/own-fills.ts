import type { OrderId } from "../domain/ids.ts";
import { BY_HAND } from "../domain/order.ts";
import type { Input, RestoredOrder } from "../kernel/input.ts";
import type { BatchEntry, Entry, StrategyFill } from "./entry.ts";
import { placedOrders } from "./placed-orders.ts";

/** A fill may come this long after the end of its order. */
const LATE_MS = 3_600_000;

/** Follows which strategy each order belongs to, and gives the trades that were booked: fills of own orders, and those by hand. */
export class OwnFills {
  readonly #strategies = new Map<OrderId, string>();
  /** Ended orders with the time of their end, oldest first. */
  readonly #ended = new Map<OrderId, number>();

  /** The orders that were open before the first entry. */
  restore(orders: readonly RestoredOrder[]): void {
    for (const { orderId, strategy } of orders) this.#strategies.set(orderId, strategy);
  }

  apply(entry: Entry): readonly StrategyFill[] {
    if (entry.type === "batch") return this.#batch(entry.entry);
    const trade = entry.type === "adjusted" ? entry.adjusted.trade : undefined;
    return trade === undefined ? [] : [trade];
  }

  #batch(entry: BatchEntry): readonly StrategyFill[] {
    const { batch, booked, ended } = entry;
    const fills: StrategyFill[] = [];
    for (const input of batch.inputs) {
      this.restore(restoredBy(input));
      if (input.type !== "operator" || input.command !== "book") continue;
      fills.push({ strategy: input.strategy, fill: input.fill });
    }
    this.restore(placedOrders(entry));
    for (const fill of booked) {
      const strategy = this.#strategies.get(fill.orderId);
      if (strategy !== undefined) fills.push({ strategy, fill });
    }
    for (const id of ended) this.#ended.set(id, batch.nowMs);
    for (const [id, endedMs] of this.#ended) {
      if (endedMs > batch.nowMs - LATE_MS) break;
      this.#ended.delete(id);
      this.#strategies.delete(id);
    }
    return fills;
  }
}

/** The fills of own orders of a run, in the order of the journal, without trades by hand. */
export function* ownFills(batches: Iterable<BatchEntry>): Generator<StrategyFill> {
  const own = new OwnFills();
  for (const entry of batches) {
    for (const each of own.apply({ type: "batch", entry })) {
      if (each.fill.orderId !== BY_HAND) yield each;
    }
  }
}

/** The orders that earlier runs left. */
export function restoredBy(input: Input): readonly RestoredOrder[] {
  return input.type === "restored" ? input.restored.orders : [];
}
