import { backOffMs } from "../base/back-off.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { TrackedOrder } from "./tracked-order.ts";

export interface QueryTiming {
  /** The first query about an unknown outcome is due after this; each later wait doubles up to `queryMaxMs`. */
  readonly queryFirstMs: number;
  readonly queryMaxMs: number;
}

/** Which orders to query by id, and when. The times are kept in the orders themselves. */
export class QuerySchedule {
  readonly #scheduled = new Set<TrackedOrder>();
  readonly #timing: QueryTiming;

  constructor(timing: QueryTiming) {
    this.#timing = timing;
  }

  /** Number of orders with a query scheduled. */
  get size(): number {
    return this.#scheduled.size;
  }

  /** Schedules a query at `atMs`, unless an earlier one is scheduled. */
  want(order: TrackedOrder, atMs: number): void {
    order.queryAtMs = unixMs(Math.min(order.queryAtMs ?? atMs, atMs));
    this.#scheduled.add(order);
  }

  /** Schedules the first query about a new doubt, which an event may settle before. */
  wantSoon(order: TrackedOrder, nowMs: number): void {
    this.want(order, nowMs + this.waitMs(1));
  }

  /** Ends the queries about an order that is no longer in doubt. */
  clear(order: TrackedOrder): void {
    order.queryAtMs = undefined;
    order.queries = 0;
    this.#scheduled.delete(order);
  }

  /** The order was queried; the next query is due after a doubled wait, with or without a response. */
  queried(order: TrackedOrder, nowMs: number): void {
    order.queries += 1;
    order.queryAtMs = unixMs(nowMs + this.waitMs(order.queries));
    this.#scheduled.add(order);
  }

  /** Continues the queries about an order that is still in doubt: ensures that the next one is in the future. */
  again(order: TrackedOrder, nowMs: number): void {
    if (order.queryAtMs === undefined || order.queryAtMs <= nowMs) this.queried(order, nowMs);
  }

  /** Wait before the `count`-th query in a row, counted from 1. */
  waitMs(count: number): number {
    const { queryFirstMs, queryMaxMs } = this.#timing;
    return backOffMs(count, queryFirstMs, queryMaxMs);
  }

  due(nowMs: UnixMs): TrackedOrder[] {
    const orders: TrackedOrder[] = [];
    for (const order of this.#scheduled) {
      if (order.queryAtMs !== undefined && order.queryAtMs <= nowMs) orders.push(order);
    }
    return orders;
  }

  nextMs(): UnixMs | undefined {
    let next: UnixMs | undefined;
    for (const { queryAtMs } of this.#scheduled) {
      if (queryAtMs !== undefined && (next === undefined || queryAtMs < next)) next = queryAtMs;
    }
    return next;
  }
}
