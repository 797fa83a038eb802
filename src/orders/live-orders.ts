import type { MarketId } from "../domain/ids.ts";
import { isQuote } from "./bracket.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** The live orders of one strategy in one market: its quotes, its takes, and its stop orders and legs (`contingent`). */
interface Lists {
  quotes: readonly TrackedOrder[];
  takes: readonly TrackedOrder[];
  contingent: readonly TrackedOrder[];
  /** Whether an order has entered or left since the lists were made. */
  isOutdated: boolean;
}

/**
 * The orders that have not ended, oldest first, in total and by strategy and market. A list is the same array until an order enters or leaves,
 * and is never changed in place, so results derived from it can be cached with it.
 */
export class LiveOrders {
  readonly #orders = new Set<TrackedOrder>();
  #all: readonly TrackedOrder[] | undefined;
  /** Cached lists by strategy and market. */
  readonly #lists = new Map<string, Map<MarketId, Lists>>();

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

  /** The orders that the planner compares with target quotes: neither stop orders nor legs nor takes. */
  quotes(strategy: string, marketId: MarketId): readonly TrackedOrder[] {
    return this.#of(strategy, marketId).quotes;
  }

  takes(strategy: string, marketId: MarketId): readonly TrackedOrder[] {
    return this.#of(strategy, marketId).takes;
  }

  /** Stop orders and legs. */
  contingent(strategy: string, marketId: MarketId): readonly TrackedOrder[] {
    return this.#of(strategy, marketId).contingent;
  }

  #of(strategy: string, marketId: MarketId): Lists {
    let byMarket = this.#lists.get(strategy);
    if (byMarket === undefined) {
      byMarket = new Map();
      this.#lists.set(strategy, byMarket);
    }
    let lists = byMarket.get(marketId);
    if (lists === undefined) {
      lists = { quotes: none, takes: none, contingent: none, isOutdated: true };
      byMarket.set(marketId, lists);
    }
    if (!lists.isOutdated) return lists;
    const quotes: TrackedOrder[] = [];
    let takes: TrackedOrder[] | undefined;
    let contingent: TrackedOrder[] | undefined;
    for (const order of this.#orders) {
      if (order.strategy !== strategy || order.marketId !== marketId) continue;
      if (isQuote(order)) quotes.push(order);
      else if (order.take !== undefined) (takes ??= []).push(order);
      else (contingent ??= []).push(order);
    }
    lists.quotes = quotes;
    lists.takes = takes ?? none;
    lists.contingent = contingent ?? none;
    lists.isOutdated = false;
    return lists;
  }

  #outdate({ strategy, marketId }: TrackedOrder): void {
    this.#all = undefined;
    const lists = this.#lists.get(strategy)?.get(marketId);
    if (lists !== undefined) lists.isOutdated = true;
  }
}

const none: readonly TrackedOrder[] = [];
