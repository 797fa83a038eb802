import type { MarketId } from "../domain/ids.ts";
import { isQuote } from "./bracket.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** The live orders of one strategy in one market. */
export interface SlotOrders {
  /** Those that the planner compares with target quotes. */
  readonly quotes: readonly TrackedOrder[];
  readonly takes: readonly TrackedOrder[];
  /** Stop orders and legs. */
  readonly contingent: readonly TrackedOrder[];
}

/**
 * The orders that have not ended, oldest first, in total and by strategy and market. A list is the same array until an order enters or leaves,
 * and is never changed in place, so results derived from it can be cached with it.
 */
export class LiveOrders {
  readonly #orders = new Set<TrackedOrder>();
  #all: readonly TrackedOrder[] | undefined;
  /** By strategy and market, until one of their orders enters or leaves. */
  readonly #lists = new Map<string, Map<MarketId, SlotOrders>>();

  enter(order: TrackedOrder): void {
    this.#orders.add(order);
    this.#outdate(order);
  }

  leave(order: TrackedOrder): void {
    this.#orders.delete(order);
    this.#outdate(order);
  }

  list(strategy?: string): readonly TrackedOrder[] {
    this.#all ??= [...this.#orders];
    if (strategy === undefined) return this.#all;
    return this.#all.filter((order) => order.strategy === strategy);
  }

  of(strategy: string, marketId: MarketId): SlotOrders {
    let byMarket = this.#lists.get(strategy);
    if (byMarket === undefined) {
      byMarket = new Map();
      this.#lists.set(strategy, byMarket);
    }
    let lists = byMarket.get(marketId);
    if (lists !== undefined) return lists;
    const quotes: TrackedOrder[] = [];
    let takes: TrackedOrder[] | undefined;
    let contingent: TrackedOrder[] | undefined;
    for (const order of this.#orders) {
      if (order.strategy !== strategy || order.marketId !== marketId) continue;
      if (isQuote(order)) quotes.push(order);
      else if (order.take !== undefined) (takes ??= []).push(order);
      else (contingent ??= []).push(order);
    }
    lists = { quotes, takes: takes ?? none, contingent: contingent ?? none };
    byMarket.set(marketId, lists);
    return lists;
  }

  #outdate({ strategy, marketId }: TrackedOrder): void {
    this.#all = undefined;
    this.#lists.get(strategy)?.delete(marketId);
  }
}

const none: readonly TrackedOrder[] = [];
