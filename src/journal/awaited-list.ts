import type { OrderId } from "../domain/ids.ts";

/** Orders that wait for a list, which has to be requested after they began to wait. */
export class AwaitedList {
  /** Oldest first. True: the list was requested. */
  readonly #orders = new Map<OrderId, boolean>();

  get size(): number {
    return this.#orders.size;
  }

  get oldest(): OrderId | undefined {
    const [oldest] = this.#orders.keys();
    return oldest;
  }

  has(orderId: OrderId): boolean {
    return this.#orders.has(orderId);
  }

  /** The order waits for a list that is requested from now on, also if it has waited for an earlier one. */
  add(orderId: OrderId): void {
    this.#orders.set(orderId, false);
  }

  delete(orderId: OrderId): void {
    this.#orders.delete(orderId);
  }

  /** A list is requested. */
  requested(): void {
    for (const orderId of this.#orders.keys()) this.#orders.set(orderId, true);
  }

  /** A list has come, all pages. Returns the orders that had waited for it, which wait no more. */
  listed(): readonly OrderId[] {
    const listed = [...this.#orders].flatMap(([orderId, isRequested]) =>
      isRequested ? orderId : [],
    );
    for (const orderId of listed) this.#orders.delete(orderId);
    return listed;
  }
}
