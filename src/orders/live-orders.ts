import { isQuote } from "./bracket.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** The orders of one strategy; its quotes, and the others: stop orders and legs. */
interface Lists {
  readonly all: readonly TrackedOrder[];
  readonly quotes: readonly TrackedOrder[];
  readonly contingent: readonly TrackedOrder[];
}

/**
 * The orders that have not ended, oldest first: all of them, and by strategy. A list stays the same until an order enters or
 * leaves, and is never changed itself, so results derived from it can be kept with it.
 */
export class LiveOrders {
  readonly #orders = new Set<TrackedOrder>();
  #all: readonly TrackedOrder[] | undefined;
  /** By the strategies that were asked for; undefined when something of one has changed since. */
  readonly #lists = new Map<string, Lists | undefined>();

  enter(order: TrackedOrder): void {
    this.#orders.add(order);
    this.#forgetLists(order);
  }

  leave(order: TrackedOrder): void {
    this.#orders.delete(order);
    this.#forgetLists(order);
  }

  list(strategy?: string): readonly TrackedOrder[] {
    if (strategy !== undefined) return this.#of(strategy).all;
    this.#all ??= [...this.#orders];
    return this.#all;
  }

  /** Those that quotes are compared with: neither stop orders nor legs. */
  quotes(strategy: string): readonly TrackedOrder[] {
    return this.#of(strategy).quotes;
  }

  /** The others: stop orders and legs. */
  contingent(strategy: string): readonly TrackedOrder[] {
    return this.#of(strategy).contingent;
  }

  #of(strategy: string): Lists {
    const known = this.#lists.get(strategy);
    if (known !== undefined) return known;
    const all: TrackedOrder[] = [];
    const quotes: TrackedOrder[] = [];
    const contingent: TrackedOrder[] = [];
    for (const order of this.#orders) {
      if (order.strategy !== strategy) continue;
      all.push(order);
      if (isQuote(order)) quotes.push(order);
      else contingent.push(order);
    }
    const lists = { all, quotes, contingent };
    this.#lists.set(strategy, lists);
    return lists;
  }

  #forgetLists({ strategy }: TrackedOrder): void {
    this.#all = undefined;
    if (this.#lists.has(strategy)) this.#lists.set(strategy, undefined);
  }
}
