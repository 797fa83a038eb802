import { assert } from "../base/assert.ts";
import type { Side } from "../domain/side.ts";
import type { ExactPrice } from "./exact-price.ts";
import { ExchangeLevel } from "./order.ts";
import type { DepthLevel } from "./records.ts";

/**
 * One side of a book, sorted with the best level last: most changes happen there, so few entries have to move. Emptied levels
 * stay until the block is closed (`drop`), so that a level which a recording removes and restores costs nothing.
 */
export class ExchangeBookSide {
  readonly side: Side;
  /** Ascending: the price for bids, the negated price for asks. Parallel to `#levels`. */
  readonly #keys: number[] = [];
  readonly #levels: ExchangeLevel[] = [];
  readonly #sign: 1 | -1;

  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  /** Number of levels, including those emptied in the open block. */
  get size(): number {
    return this.#levels.length;
  }

  /** The `rank`-th best level; it may be an emptied one. */
  at(rank: number): ExchangeLevel | undefined {
    return this.#levels[this.#levels.length - 1 - rank];
  }

  /** The best level that has orders. */
  best(): ExchangeLevel | undefined {
    for (let at = this.#levels.length - 1; at >= 0; at -= 1) {
      const level = this.#levels[at];
      if (level !== undefined && level.head !== undefined) return level;
    }
    return undefined;
  }

  find(price: number): ExchangeLevel | undefined {
    const key = price * this.#sign;
    const at = this.#position(key);
    return this.#keys[at] === key ? this.#levels[at] : undefined;
  }

  /** The level at this price; creates it when there is none. */
  ensure(exact: ExactPrice): ExchangeLevel {
    const key = exact.number * this.#sign;
    const at = this.#position(key);
    if (this.#keys[at] === key) {
      const level = this.#levels[at];
      assert(level !== undefined, "keys and levels are parallel");
      return level;
    }
    const level = new ExchangeLevel(exact);
    this.#insert(at, key, level);
    return level;
  }

  /** Removes an emptied level. */
  drop(level: ExchangeLevel): void {
    assert(level.head === undefined, "only an empty level is dropped");
    const at = this.#position(level.price * this.#sign);
    if (this.#levels[at] !== level) return;
    const last = this.#levels.length - 1;
    for (let to = at; to < last; to += 1) {
      this.#keys[to] = this.#keys[to + 1] as number;
      this.#levels[to] = this.#levels[to + 1] as ExchangeLevel;
    }
    this.#keys.pop();
    this.#levels.pop();
  }

  /** Whether an order of the other side, limited to `limit`, trades with this level. */
  reaches(level: ExchangeLevel, limit: number): boolean {
    return this.side === "BUY" ? level.price >= limit : level.price <= limit;
  }

  /** Up to `limit` levels that have orders, best first. */
  top(limit: number): DepthLevel[] {
    const levels: DepthLevel[] = [];
    for (let at = this.#levels.length - 1; at >= 0 && levels.length < limit; at -= 1) {
      const level = this.#levels[at];
      if (level === undefined || level.head === undefined) continue;
      levels.push({ price: level.price, quantity: level.quantity });
    }
    return levels;
  }

  #insert(at: number, key: number, level: ExchangeLevel): void {
    let to = this.#levels.length;
    this.#keys.push(key);
    this.#levels.push(level);
    for (; to > at; to -= 1) {
      this.#keys[to] = this.#keys[to - 1] as number;
      this.#levels[to] = this.#levels[to - 1] as ExchangeLevel;
    }
    this.#keys[at] = key;
    this.#levels[at] = level;
  }

  /** First index whose key is not below `key`. */
  #position(key: number): number {
    const keys = this.#keys;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] as number) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
