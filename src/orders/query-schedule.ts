import { unixMs, type UnixMs } from "../domain/time.ts";
import type { TrackedOrder } from "./tracked-order.ts";

export interface QueryTiming {
  /** The first question about an unknown outcome is due after this; each later one after twice as long. */
  readonly queryFirstMs: number;
  readonly queryMaxMs: number;
}

/** Which orders are to be asked about by id, and when. The times stand in the orders themselves. */
export class QuerySchedule {
  readonly #queried = new Set<TrackedOrder>();
  readonly #patience: QueryTiming;

  constructor(patience: QueryTiming) {
    this.#patience = patience;
  }

  /** Orders that are asked about. */
  get size(): number {
    return this.#queried.size;
  }

  /** A question is due at `atMs`, or earlier when an earlier one is already. */
  want(order: TrackedOrder, atMs: number): void {
    order.queryAtMs = unixMs(Math.min(order.queryAtMs ?? atMs, atMs));
    this.#queried.add(order);
  }

  /** Nothing is in question any more. */
  clear(order: TrackedOrder): void {
    order.queryAtMs = undefined;
    order.queries = 0;
    this.#queried.delete(order);
  }

  /** The question was put; the next is due after a doubled wait, whether an answer comes or not. */
  queried(order: TrackedOrder, nowMs: number): void {
    order.queries += 1;
    order.queryAtMs = unixMs(nowMs + this.waitMs(order.queries));
    this.#queried.add(order);
  }

  /** Keeps a question that was not settled going: the next one is in the future for certain. */
  again(order: TrackedOrder, nowMs: number): void {
    if (order.queryAtMs === undefined || order.queryAtMs <= nowMs) this.queried(order, nowMs);
  }

  /** Wait before the `count`-th question in a row, from 1. */
  waitMs(count: number): number {
    const { queryFirstMs, queryMaxMs } = this.#patience;
    return Math.min(queryMaxMs, queryFirstMs * 2 ** Math.min(count - 1, 30));
  }

  due(nowMs: UnixMs): TrackedOrder[] {
    const orders: TrackedOrder[] = [];
    for (const order of this.#queried) {
      if (order.queryAtMs !== undefined && order.queryAtMs <= nowMs) orders.push(order);
    }
    return orders;
  }

  nextMs(): UnixMs | undefined {
    let next: UnixMs | undefined;
    for (const { queryAtMs } of this.#queried) {
      if (queryAtMs !== undefined && (next === undefined || queryAtMs < next)) next = queryAtMs;
    }
    return next;
  }
}
