import { BookSide } from "../book/book-side.ts";
import type { FlatLevels } from "../domain/depth.ts";
import {
  addFixed,
  fixedFromNumber,
  fixedToNumber,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { ExchangeBookSide } from "./exchange-book-side.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import { KnownPrices } from "./known-prices.ts";
import { LevelChanges } from "./level-changes.ts";
import { fitsPrice } from "./notional.ts";
import type { ExchangeLevel } from "./order.ts";
import type { QueueModel } from "./queue-model.ts";
import type { DepthLevel } from "./records.ts";

/** Fronts that a model estimates are rounded up to this many to a unit, or to the market's lot. */
const STEPS = 1e8;

/** The levels of a side as the newest depth event left them. */
export interface DepthLevels {
  /** The quantity that trades since then have left at a price; 0 for a level that is not there, undefined where it is not known. */
  remainingAt(price: number): number | undefined;
  /** The best price that is not better than the limit, trades since then left aside; undefined when there is none. */
  bestUpTo(limit: number): number | undefined;
}

/** A level of the open block whose recorded quantity, as it was then, is orders. */
export interface OpenedLevel {
  readonly level: ExchangeLevel;
  readonly quantity: number;
}

/** A side of which all prices are known as a row of a snapshot. */
export type RecordedSideRow = readonly [
  levels: readonly number[],
  taken: readonly (readonly [price: number, quantity: number])[],
];

/** One side of a recorded market: its levels as numbers beside the own orders of the exchange. */
export class RecordedSide implements DepthLevels {
  readonly side: Side;
  readonly levels: BookSide;
  /** Own orders, and the levels that are orders for the open block. */
  readonly orders: ExchangeBookSide;
  /** Levels that trades reduced since the last depth event, with the quantity to restore. */
  readonly taken = new Map<number, number>();
  /** Levels that are orders until the block is closed. */
  readonly opened: OpenedLevel[] = [];
  readonly changes = new LevelChanges();
  readonly #sign: 1 | -1;
  /** Sign × the best raised price. */
  #raised = Number.NEGATIVE_INFINITY;
  /** Quantities of an event's levels before it. */
  #before = new Float64Array(64);
  /** Levels of events that were skipped because no order can have their price or quantity. */
  ignored = 0;
  readonly #known: KnownPrices;
  readonly #state: ExchangeMarket;
  readonly #queue: QueueModel;

  constructor(side: Side, state: ExchangeMarket, queue: QueueModel) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
    this.#known = new KnownPrices(side);
    this.#state = state;
    this.#queue = queue;
    this.levels = new BookSide(side === "BUY" ? "bids" : "asks");
    this.orders = state.side(side);
  }

  save(): RecordedSideRow {
    const { levels } = this;
    return [[...levels.top(levels.size)], [...this.taken]];
  }

  restore([levels, taken]: RecordedSideRow): void {
    this.levels.load(Float64Array.from(levels));
    for (const [price, quantity] of taken) this.taken.set(price, quantity);
    this.#known.coverUpTo(undefined);
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

  remainingAt(price: number): number | undefined {
    return this.isKnown(price) ? this.levels.quantityAt(price) : undefined;
  }

  /** False for a price that neither a whole book nor an event has shown: nobody knows what rests there. */
  isKnown(price: number): boolean {
    return this.#known.has(price);
  }

  /** The side has no level of its own where the other one has its best. */
  endBefore({ levels }: RecordedSide): void {
    const { bestPrice } = levels;
    if (bestPrice !== undefined) this.#known.coverBeyond(bestPrice);
  }

  bestUpTo(limit: number): number | undefined {
    let best = this.levels.bestUpTo(limit);
    if (this.taken.size === 0) return best;
    for (const [price, quantity] of this.taken) {
      if (quantity === 0 || this.isBetter(price, limit)) continue;
      if (best === undefined || this.isBetter(price, best)) best = price;
    }
    return best;
  }

  isBetter(price: number, than: number): boolean {
    return this.side === "BUY" ? price > than : price < than;
  }

  /** Applies the levels of an event and restores what trades took of the others. Returns the best price that has more than before. */
  apply(event: FlatLevels): number | undefined {
    return this.#apply(this.#usable(event), true);
  }

  /** `isEvent`: the levels name their prices. */
  #apply(levels: FlatLevels, isEvent: boolean): number | undefined {
    const { taken } = this;
    // The block changes no other level, so its changes are the event.
    this.changes.begin(taken.size === 0 ? levels : undefined);
    if (this.#before.length < levels.length / 2) this.#before = new Float64Array(levels.length);
    const before = this.#before;
    this.levels.swapAll(levels, before);
    this.#raised = Number.NEGATIVE_INFINITY;
    const best = this.#key(this.orders.at(0));
    const worst = this.#key(this.orders.at(this.orders.size - 1));
    for (let at = 0; at < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const was = before[at >> 1] ?? 0;
      const is = levels[at + 1] ?? 0;
      const key = this.#sign * price;
      // A level that is held was named before.
      const isNew = isEvent && was === 0 && this.#known.name(price);
      if (key <= best && key >= worst) {
        if (isNew) this.#learn(price, is);
        this.#follow(price, was, is);
      } else if (was !== is) {
        this.changes.note(price, is);
        if (is > was && key > this.#raised) this.#raised = key;
      }
    }
    if (taken.size > 0) this.#restore(levels);
    return this.#raised === Number.NEGATIVE_INFINITY ? undefined : this.#sign * this.#raised;
  }

  /** A price turns out to have this quantity. No more of it is in front of own orders than before, as far as that was known. */
  #learn(price: number, quantity: number): void {
    for (let order = this.ordersAt(price)?.head; order !== undefined; order = order.next) {
      order.front = Math.min(order.front ?? quantity, quantity);
    }
  }

  /** Restores what trades took of levels that the event does not name. */
  #restore(event: FlatLevels): void {
    const { levels, taken } = this;
    for (const [price, quantity] of taken) {
      if (!names(event, price)) this.#follow(price, levels.swap(price, quantity), quantity);
    }
    taken.clear();
    levels.settle();
  }

  /** A level that may have own orders has another quantity. */
  #follow(price: number, before: number, after: number): void {
    if (before === after) {
      // The public level has own orders as well, which the event does not know.
      if (this.ordersAt(price) !== undefined) this.changes.differs();
      return;
    }
    this.#changed(price, before, after);
    if (after > before) this.#raised = Math.max(this.#raised, this.#sign * price);
  }

  /** Higher for a better level; NaN for none. */
  #key(level: ExchangeLevel | undefined): number {
    return level === undefined ? Number.NaN : this.#sign * level.price;
  }

  /** The levels of an event that an order can have. */
  #usable(event: FlatLevels): FlatLevels {
    let count = 0;
    for (let at = 0; at < event.length; at += 2) {
      if (isUsable(event[at] ?? 0, event[at + 1] ?? 0)) count += 1;
    }
    if (2 * count === event.length) return event;
    this.ignored += event.length / 2 - count;
    return event.filter((_, at) => isUsable(event[at & ~1] ?? 0, event[at | 1] ?? 0));
  }

  /** Removes the levels better than the price of a trade, until a depth event shows them again. */
  removeBetter(price: number): void {
    const { levels, orders } = this;
    for (let rank = 0; ; rank += 1) {
      const level = orders.at(rank);
      if (level === undefined || !this.isBetter(level.price, price)) break;
      this.#learn(level.price, 0);
    }
    let best = levels.bestPrice;
    if (best === undefined || !this.isBetter(best, price)) return;
    for (; best !== undefined && this.isBetter(best, price); best = levels.bestPrice) {
      const before = levels.swap(best, 0);
      this.noteTaken(best, before);
      this.#changed(best, before, 0);
    }
    levels.settle();
  }

  /** A trade takes from the recorded level at its price what that has. */
  take(price: number, quantity: number): void {
    const { levels } = this;
    const before = levels.quantityAt(price);
    const traded = Math.min(quantity, before);
    if (traded === 0) return;
    const after = less(before, traded);
    levels.swap(price, after);
    this.noteTaken(price, before);
    this.#changed(price, before, after);
    if (after === 0) levels.settle();
  }

  /** A trade reduces a level of this quantity, which the next depth event restores. */
  noteTaken(price: number, before: number): void {
    if (!this.taken.has(price)) this.taken.set(price, before);
  }

  /** Notes that a level has another recorded quantity, and moves the own orders there in their queue. */
  #changed(price: number, before: number, after: number): void {
    const level = this.ordersAt(price);
    if (level === undefined) {
      this.changes.note(price, after);
      return;
    }
    this.changes.differs();
    this.#state.touch(this.side, level);
    // Own orders keep what was in front of them where the level is not gone, but forgotten.
    if (after >= before || !this.isKnown(price)) return;
    let least = 0;
    for (let order = level.head; order !== undefined; order = order.next) {
      const front = this.#frontAfter(order.front ?? before, before, after);
      // Own orders never overtake each other.
      least = Math.max(least, front);
      order.front = least;
    }
  }

  #frontAfter(front: number, before: number, after: number): number {
    const estimate = this.#queue.frontAfter(front, before, after);
    if (estimate >= after) return after;
    if (estimate <= 0) return 0;
    if (estimate === front) return front;
    const rounded = Math.ceil(estimate * STEPS - 1e-4) / STEPS;
    const { lot } = this.#state.rules;
    const lots = (fixedFromNumber(rounded) + lot - 1n) / lot;
    return Math.min(after, fixedToNumber((lots * lot) as Fixed));
  }

  /**
   * Applies a whole book: levels that are not in it are removed. Where they are beyond its end, or all prices are unknown (`isKnown` false), own
   * orders keep what was in front of them. Returns as `apply`.
   */
  applyWhole(book: FlatLevels, isKnown: boolean): number | undefined {
    const levels = this.#usable(book);
    if (isKnown) this.#known.coverUpTo(this.#worstOf(levels));
    else this.#known.forgetAll();
    const raised = this.#apply(this.#withRemovals(levels), false);
    for (let rank = 0; ; rank += 1) {
      const level = this.orders.at(rank);
      if (level === undefined) return raised;
      const quantity = this.remainingAt(level.price);
      if (quantity !== undefined) this.#learn(level.price, quantity);
    }
  }

  #worstOf(levels: FlatLevels): number | undefined {
    let worst: number | undefined;
    for (let at = 0; at < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      if (levels[at + 1] !== 0 && (worst === undefined || this.isBetter(worst, price)))
        worst = price;
    }
    return worst;
  }

  /** The levels of a whole book, and a removal for each held level that is not among them. */
  #withRemovals(levels: FlatLevels): FlatLevels {
    const named = new Set<number>();
    for (let at = 0; at < levels.length; at += 2) named.add(levels[at] ?? 0);
    const gone: number[] = [];
    const cursor = this.levels.cursor();
    while (cursor.next()) if (!named.has(cursor.price)) gone.push(cursor.price, 0);
    for (const price of this.taken.keys()) if (!named.has(price)) gone.push(price, 0);
    return Float64Array.of(...levels, ...gone);
  }

  /** The most that is in front of the own orders at a price, as far as that is known. */
  mostInFront(price: number): number {
    let most = 0;
    for (let order = this.ordersAt(price)?.head; order !== undefined; order = order.next) {
      most = Math.max(most, order.front ?? 0);
    }
    return most;
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

/** Whether an order can have this price and quantity; a quantity of 0 removes a level. */
export function isUsable(price: number, quantity: number): boolean {
  return (
    price > 0 &&
    Number.isFinite(price) &&
    quantity >= 0 &&
    Number.isFinite(quantity) &&
    fitsPrice(price)
  );
}

function names(levels: FlatLevels, price: number): boolean {
  for (let at = 0; at < levels.length; at += 2) if (levels[at] === price) return true;
  return false;
}

/** Doubles with up to 15 digits and 8 decimals are whole numbers of this part. */
const PART = 1e8;
const PARTS_MAX = 1e15;

/** Exact difference of two decimals. */
function less(left: number, right: number): number {
  const leftParts = Math.round(left * PART);
  const rightParts = Math.round(right * PART);
  const isShort =
    leftParts < PARTS_MAX &&
    rightParts < PARTS_MAX &&
    leftParts / PART === left &&
    rightParts / PART === right;
  // Whole parts over an exact power of ten: one correctly rounded division.
  if (isShort) return (leftParts - rightParts) / PART;
  return fixedToNumber(subFixed(fixedFromNumber(left), fixedFromNumber(right)));
}
