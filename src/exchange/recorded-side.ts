import { BookSide } from "../book/book-side.ts";
import type { FlatLevels } from "../domain/depth.ts";
import { addFixed, fixedFromNumber, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { ExchangeBookSide } from "./exchange-book-side.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { ExchangeLevel } from "./order.ts";
import type { DepthLevel } from "./records.ts";

/** Changes are allocated in arrays of this length, since an array outside the heap is expensive to make. */
const SLAB = 16_384;
const noLevels: FlatLevels = new Float64Array();

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
  /** The open block's changes begin at `#from`; those before it belong to earlier events. */
  #changes = new Float64Array(SLAB);
  #from = 0;
  #to = 0;
  /** The event that is being applied, while all of it are changes as they are. */
  #event: FlatLevels | undefined;

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

  /** Whether an incoming order of the other side, limited to this price, meets an own order. */
  isReachedBy(price: number): boolean {
    const best = this.orders.best();
    return best !== undefined && this.orders.reaches(best, price);
  }

  isBetter(price: number, than: number): boolean {
    return this.side === "BUY" ? price > than : price < than;
  }

  /** The levels of an event are going to be applied. `isWhole`: the block changes no other level. */
  begin(event: FlatLevels, isWhole: boolean): void {
    this.#event = isWhole ? event : undefined;
  }

  /** A level of the event is left out, or the block changes it otherwise. */
  differs(): void {
    this.#event = undefined;
  }

  /** Notes a change of the open block at a price without own orders. */
  changed(price: number, quantity: number): void {
    if (this.#to === this.#changes.length) this.#renew();
    this.#changes[this.#to] = price;
    this.#changes[this.#to + 1] = quantity;
    this.#to += 2;
  }

  #renew(): void {
    const open = this.#changes.subarray(this.#from, this.#to);
    this.#changes = new Float64Array(Math.max(SLAB, 2 * open.length));
    this.#changes.set(open);
    this.#from = 0;
    this.#to = open.length;
  }

  /** Returns the noted changes with these after them, and forgets them. */
  takeChanges(more: readonly (readonly [price: number, quantity: number])[]): FlatLevels {
    const event = more.length === 0 ? this.#event : undefined;
    this.#event = undefined;
    for (const [price, quantity] of more) this.changed(price, quantity);
    if (this.#to === this.#from) return noLevels;
    // Levels of an event that were as it says already do no harm.
    if (event !== undefined) {
      this.#to = this.#from;
      return event;
    }
    const changes = this.#changes.subarray(this.#from, this.#to);
    this.#from = this.#to;
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
