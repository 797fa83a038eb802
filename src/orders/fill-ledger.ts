import type { OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";

/** What a trade is compared by when the venue names it again. */
type BookedTrade = Pick<Fill, "price" | "quantity">;

/**
 * Which trades of which order are already booked, since the stream and REST may report the same trade several times. An order's
 * trades are kept until `forget`, whose caller bounds `size`.
 */
export class FillLedger {
  readonly #trades = new Map<OrderId, Map<string, BookedTrade | undefined>>();
  #size = 0;

  /** Trade ids remembered. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds a trade; returns true when it is new, so that the caller books it. A self-trade has one trade id on two orders. Of a trade of an
   * earlier run only the id is known.
   */
  add(orderId: OrderId, tradeId: string, fill?: BookedTrade): boolean {
    let known = this.#trades.get(orderId);
    if (known === undefined) {
      known = new Map();
      this.#trades.set(orderId, known);
    }
    if (known.has(tradeId)) return false;
    known.set(tradeId, fill && { price: fill.price, quantity: fill.quantity });
    this.#size += 1;
    return true;
  }

  has(orderId: OrderId, tradeId: string): boolean {
    return this.#trades.get(orderId)?.has(tradeId) === true;
  }

  /** The trade as it was booked; undefined when it was not, or by an earlier run. */
  booked(orderId: OrderId, tradeId: string): BookedTrade | undefined {
    return this.#trades.get(orderId)?.get(tradeId);
  }

  /** The booked trades of an order. */
  of(orderId: OrderId): readonly string[] {
    return [...(this.#trades.get(orderId)?.keys() ?? [])];
  }

  /** Number of booked trades of an order. */
  countOf(orderId: OrderId): number {
    return this.#trades.get(orderId)?.size ?? 0;
  }

  forget(orderId: OrderId): void {
    this.#size -= this.#trades.get(orderId)?.size ?? 0;
    this.#trades.delete(orderId);
  }
}
