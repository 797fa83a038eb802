import type { OrderId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { OrderUpdate } from "../orders/order-snapshot.ts";

interface OwnPrice {
  readonly side: Side;
  /** Two after a modify. */
  readonly prices: readonly number[];
}

/** Where the bot may know an own order to rest during a step: at the beginning of the step or at its end. */
export class OwnPrices {
  /** By intent, those of an earlier run by id until something becomes known of them. */
  readonly #prices = new Map<number | OrderId, OwnPrice>();
  /** Orders that ended in the newest step. */
  readonly #ended = new Set<number>();

  stepBegins(): void {
    for (const intent of this.#ended) this.#prices.delete(intent);
    this.#ended.clear();
  }

  restored(orderId: OrderId, side: Side, price: number): void {
    this.#prices.set(orderId, { side, prices: [price] });
  }

  order({ order, before }: OrderUpdate): void {
    const { intent, orderId, side, price, state } = order;
    if (orderId !== undefined) this.#prices.delete(orderId);
    this.#prices.set(intent, { side, prices: [price, before?.price ?? price] });
    if (state === "ended") this.#ended.add(intent);
  }

  on(side: Side): ReadonlySet<number> {
    const prices = new Set<number>();
    for (const own of this.#prices.values()) {
      if (own.side === side) for (const price of own.prices) prices.add(price);
    }
    return prices;
  }
}
