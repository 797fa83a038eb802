import { BookSide } from "../book/book-side.ts";
import type { FlatLevels } from "../domain/depth.ts";
import { addFixed, fixedFromNumber, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { ExchangeBookSide } from "./exchange-book-side.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { ExchangeLevel } from "./order.ts";
import type { DepthLevel } from "./records.ts";

/** One side of a recorded market: its levels as numbers beside the own orders of the exchange. */
export class RecordedSide {
  readonly side: Side;
  readonly levels: BookSide;
  /** Own orders, and the levels that are orders for the open block. */
  readonly orders: ExchangeBookSide;
  /** Levels that trades reduced since the last depth event, with the quantity to restore. */
  readonly taken = new Map<number, number>();
  /** Levels that are orders until the block is closed. */
  readonly opened: ExchangeLevel[] = [];
  #changes = new Float64Array(64);
  #size = 0;

  constructor(side: Side, state: ExchangeMarket) {
    this.side = side;
    this.levels = new BookSide(side === "BUY" ? "bids" : "asks");
    this.orders = state.side(side);
  }

  /** Own orders at a price. */
  ordersAt(price: number): ExchangeLevel | undefined {
    const { orders } = this;
    const best = orders.at(0);
    const worst = orders.at(orders.size - 1);
    if (best === undefined || worst === undefined) return undefined;
    return orders.reaches(best, price) && !this.isBetter(worst.price, price)
      ? orders.find(price)
      : undefined;
  }

  isBetter(price: number, than: number): boolean {
    return this.side === "BUY" ? price > than : price < than;
  }

  /** Notes a change of the open block at a price without own orders. */
  changed(price: number, quantity: number): void {
    if (this.#size === this.#changes.length) {
      const grown = new Float64Array(this.#size * 2);
      grown.set(this.#changes);
      this.#changes = grown;
    }
    this.#changes[this.#size] = price;
    this.#changes[this.#size + 1] = quantity;
    this.#size += 2;
  }

  /** Returns the noted changes with these after them, and forgets them. */
  takeChanges(more: readonly (readonly [price: number, quantity: number])[]): FlatLevels {
    for (const [price, quantity] of more) this.changed(price, quantity);
    const changes = this.#changes.slice(0, this.#size);
    this.#size = 0;
    return changes;
  }

  /** The levels of a whole book, and a removal for each held level that is not among them. */
  withRemovals(levels: FlatLevels): FlatLevels {
    const named = new Set<number>();
    for (let at = 0; at < levels.length; at += 2) named.add(levels[at] ?? 0);
    const gone: number[] = [];
    const cursor = this.levels.cursor();
    while (cursor.next()) if (!named.has(cursor.price)) gone.push(cursor.price, 0);
    for (const price of this.taken.keys()) if (!named.has(price)) gone.push(price, 0);
    return Float64Array.of(...levels, ...gone);
  }

  /** The worst price of own orders that is still better than a price. */
  worstBeyond(price: number): number | undefined {
    let worst: number | undefined;
    for (let rank = 0; ; rank += 1) {
      const level = this.orders.at(rank);
      if (level === undefined || !this.isBetter(level.price, price)) return worst;
      worst = level.price;
    }
  }

  /** What a trade of this quantity lacks to fill the last own order that it reaches whole. */
  missingForWhole(limit: number, quantity: Fixed): Fixed {
    let left = quantity;
    for (let rank = 0; ; rank += 1) {
      const level = this.orders.at(rank);
      if (level === undefined || !this.orders.reaches(level, limit)) return ZERO;
      for (let order = level.head; order !== undefined; order = order.next) {
        if (left === 0n) return ZERO;
        if (left < order.remaining) {
          return order.account.isFlow ? ZERO : subFixed(order.remaining, left);
        }
        left = subFixed(left, order.remaining);
      }
    }
  }

  /** Up to `limit` levels with the own orders among them, best first. Not while a block is open. */
  top(limit: number): DepthLevel[] {
    const own = this.orders.top(limit);
    const levels: DepthLevel[] = [];
    const cursor = this.levels.cursor();
    let hasMore = cursor.next();
    let at = 0;
    while (levels.length < limit && (hasMore || at < own.length)) {
      const order = own[at];
      if (order !== undefined && !(hasMore && this.isBetter(cursor.price, order.price))) {
        const isShared = hasMore && cursor.price === order.price;
        const more = isShared ? fixedFromNumber(cursor.quantity) : ZERO;
        levels.push({ price: order.price, quantity: addFixed(order.quantity, more) });
        at += 1;
        if (isShared) hasMore = cursor.next();
      } else {
        levels.push({ price: cursor.price, quantity: fixedFromNumber(cursor.quantity) });
        hasMore = cursor.next();
      }
    }
    return levels;
  }

  /** The best price, own orders included. */
  get bestPrice(): number | undefined {
    const recorded = this.levels.bestPrice;
    const own = this.orders.best()?.price;
    if (recorded === undefined || own === undefined) return recorded ?? own;
    return this.isBetter(own, recorded) ? own : recorded;
  }
}
