import { isQuote } from "./bracket.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/**
 * The orders that have not ended, oldest first: all of them, and by strategy. A list stays the same until an order enters or
 * leaves, and is never changed itself, so whoever asks again finds what was sorted out before.
 */
export class LiveOrders {
  readonly #all = new Set<TrackedOrder>();
  /** As they were asked for since the last change; undefined: of all strategies. */
  readonly #lists = new Map<string | undefined, readonly TrackedOrder[]>();
  readonly #quotes = new Map<string, readonly TrackedOrder[]>();
  readonly #contingent = new Map<string, readonly TrackedOrder[]>();

  enter(order: TrackedOrder): void {
    this.#all.add(order);
    this.#forgetLists();
  }

  leave(order: TrackedOrder): void {
    this.#all.delete(order);
    this.#forgetLists();
  }

  list(strategy?: string): readonly TrackedOrder[] {
    let list = this.#lists.get(strategy);
    if (list === undefined) {
      const all = [...this.#all];
      list = strategy === undefined ? all : all.filter((order) => order.strategy === strategy);
      this.#lists.set(strategy, list);
    }
    return list;
  }

  /** Those that quotes are compared with: neither stop orders nor legs. */
  quotes(strategy: string): readonly TrackedOrder[] {
    let list = this.#quotes.get(strategy);
    if (list === undefined) {
      list = this.list(strategy).filter(isQuote);
      this.#quotes.set(strategy, list);
    }
    return list;
  }

  /** The others: stop orders and legs. */
  contingent(strategy: string): readonly TrackedOrder[] {
    let list = this.#contingent.get(strategy);
    if (list === undefined) {
      list = this.list(strategy).filter((order) => !isQuote(order));
      this.#contingent.set(strategy, list);
    }
    return list;
  }

  #forgetLists(): void {
    this.#lists.clear();
    this.#quotes.clear();
    this.#contingent.clear();
  }
}
