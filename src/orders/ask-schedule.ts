import { unixMs, type UnixMs } from "../domain/time.ts";
import type { TrackedOrder } from "./tracked-order.ts";

export interface AskPatience {
  /** The first question about an unknown outcome is due after this; each later one after twice as long. */
  readonly askFirstMs: number;
  readonly askMaxMs: number;
}

/** Which orders are to be asked about by id, and when. The times stand in the orders themselves. */
export class AskSchedule {
  readonly #asking = new Set<TrackedOrder>();
  readonly #patience: AskPatience;

  constructor(patience: AskPatience) {
    this.#patience = patience;
  }

  /** Orders that are asked about. */
  get size(): number {
    return this.#asking.size;
  }

  /** A question is due at `atMs`, or earlier when an earlier one is already. */
  want(order: TrackedOrder, atMs: number): void {
    order.askAtMs = unixMs(Math.min(order.askAtMs ?? atMs, atMs));
    this.#asking.add(order);
  }

  /** Nothing is in question any more. */
  clear(order: TrackedOrder): void {
    order.askAtMs = undefined;
    order.asks = 0;
    this.#asking.delete(order);
  }

  /** The question was put; the next is due after a doubled wait, whether an answer comes or not. */
  asked(order: TrackedOrder, nowMs: number): void {
    order.asks += 1;
    order.askAtMs = unixMs(nowMs + this.waitMs(order.asks));
    this.#asking.add(order);
  }

  /** Keeps a question that was not settled going: the next one is in the future for certain. */
  again(order: TrackedOrder, nowMs: number): void {
    if (order.askAtMs === undefined || order.askAtMs <= nowMs) this.asked(order, nowMs);
  }

  /** Wait before the `count`-th question in a row, from 1. */
  waitMs(count: number): number {
    const { askFirstMs, askMaxMs } = this.#patience;
    return Math.min(askMaxMs, askFirstMs * 2 ** Math.min(count - 1, 30));
  }

  due(nowMs: UnixMs): TrackedOrder[] {
    const orders: TrackedOrder[] = [];
    for (const order of this.#asking) {
      if (order.askAtMs !== undefined && order.askAtMs <= nowMs) orders.push(order);
    }
    return orders;
  }

  nextMs(): UnixMs | undefined {
    let next: UnixMs | undefined;
    for (const { askAtMs } of this.#asking) {
      if (askAtMs !== undefined && (next === undefined || askAtMs < next)) next = askAtMs;
    }
    return next;
  }
}
