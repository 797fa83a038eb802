import { isQuote } from "./bracket.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** The live orders of one strategy: its quotes, and its stop orders and legs (`contingent`). */
interface Lists {
  readonly all: readonly TrackedOrder[];
  readonly quotes: readonly TrackedOrder[];
  readonly contingent: readonly TrackedOrder[];
}

/**
 * The orders that have not ended, oldest first, in total and by strategy. A list is the same array until an order enters or leaves,
 * and is never changed in place, so results derived from it can be cached with it.
 */
export class LiveOrders {
  readonly #orders = new Set<TrackedOrder>();
  #all: readonly TrackedOrder[] | undefined;
  /** Cached lists by strategy; undefined when an order of the strategy has entered or left since. */
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

  /** The orders that the planner compares with target quotes: neither stop orders nor legs. */
  quotes(strategy: string): readonly TrackedOrder[] {
    return this.#of(strategy).quotes;
  }

  /** Stop orders and legs. */
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
