import type { BookLessOwn } from "../book/book-view.ts";
import type { Trade } from "../domain/depth.ts";
import { followQueue } from "../kernel/orders/queue-ahead.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** Estimates what is ahead of own resting orders in the queue of their price. */
export class QueueEstimates {
  /** By intent. */
  readonly #ahead = new Map<number, { readonly price: number; queueAhead: number | undefined }>();

  /** Base token; undefined while the order does not rest, or without a book. */
  of(intent: number): number | undefined {
    return this.#ahead.get(intent)?.queueAhead;
  }

  trade(trade: Trade): void {
    followQueue([...this.#ahead.values()], trade);
  }

  /** What others have at the price of an order is at most ahead of it. */
  follow(orders: readonly OrderSnapshot[], view: BookLessOwn | undefined): void {
    const resting = orders.filter(({ isResting }) => isResting);
    const intents = new Set(resting.map(({ intent }) => intent));
    for (const intent of this.#ahead.keys()) if (!intents.has(intent)) this.#ahead.delete(intent);
    for (const { intent, side, price } of resting) {
      const others = view?.quantityAt(side, price);
      const known = this.of(intent) ?? others;
      const queueAhead = others === undefined ? undefined : Math.min(known ?? others, others);
      this.#ahead.set(intent, { price, queueAhead });
    }
  }
}
