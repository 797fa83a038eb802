import type { OrderId } from "../domain/ids.ts";

/**
 * Which trades of which order are already booked, since the stream and REST may report the same trade several times. An order's
 * trades are kept until `forget`, whose caller bounds `size`.
 */
export class FillLedger {
  readonly #trades = new Map<OrderId, Set<string>>();
  #size = 0;

  /** Trade ids remembered. */
  get size(): number {
    return this.#size;
  }

  /** Adds a trade; returns true when it is new, so that the caller books it. A self-trade has one trade id on two orders. */
  add(orderId: OrderId, tradeId: string): boolean {
    let known = this.#trades.get(orderId);
    if (known === undefined) {
      known = new Set();
      this.#trades.set(orderId, known);
    }
    if (known.has(tradeId)) return false;
    known.add(tradeId);
    this.#size += 1;
    return true;
  }

  has(orderId: OrderId, tradeId: string): boolean {
    return this.#trades.get(orderId)?.has(tradeId) === true;
  }

  /** The booked trades of an order. */
  of(orderId: OrderId): readonly string[] {
    return [...(this.#trades.get(orderId) ?? [])];
  }

  forget(orderId: OrderId): void {
    this.#size -= this.#trades.get(orderId)?.size ?? 0;
    this.#trades.delete(orderId);
  }
}
