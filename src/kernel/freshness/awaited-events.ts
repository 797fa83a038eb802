import type { OrderId } from "../../domain/ids.ts";

/** Most orders whose event is awaited. Further ones show nothing that these do not. */
const AWAITED_MAX = 256;

interface Awaited {
  readonly sinceMs: number;
  /** REST has told what the event should have told. */
  isTold: boolean;
}

/** Own orders of which the user channel has to tell something: the venue accepted a command, or a public trade or REST told of a change first. */
export class AwaitedEvents {
  /** By order, the oldest first. */
  readonly #orders = new Map<OrderId, Awaited>();

  get size(): number {
    return this.#orders.size;
  }

  expect(orderId: OrderId, nowMs: number, isTold = false): void {
    const known = this.#orders.get(orderId);
    if (known !== undefined) known.isTold ||= isTold;
    else if (this.#orders.size < AWAITED_MAX) {
      this.#orders.set(orderId, { sinceMs: nowMs, isTold });
    }
  }

  /** Its event came, or the venue does not know the order. */
  settle(orderId: OrderId): void {
    this.#orders.delete(orderId);
  }

  /** A list or query requested at this time shows no more of these orders than we know, so no event about them is missing. */
  settleUntil(atMs: number): void {
    for (const [orderId, { sinceMs, isTold }] of this.#orders) {
      if (sinceMs > atMs) return;
      if (!isTold) this.#orders.delete(orderId);
    }
  }

  /** What is overdue, awaited since `sinceMs` or before, once: `told` when REST had told one of them, `missing` when one is to be read over REST. */
  overdue(sinceMs: number): "none" | "missing" | "told" {
    let found: "none" | "missing" | "told" = "none";
    for (const [orderId, awaited] of this.#orders) {
      if (awaited.sinceMs > sinceMs) break;
      this.#orders.delete(orderId);
      if (found !== "told") found = awaited.isTold ? "told" : "missing";
    }
    return found;
  }

  /** When the next event has been awaited for `waitMs`; Infinity for never. */
  nextMs(waitMs: number): number {
    for (const { sinceMs } of this.#orders.values()) return sinceMs + waitMs;
    return Number.POSITIVE_INFINITY;
  }

  clear(): void {
    this.#orders.clear();
  }
}
