import { assert } from "../base/assert.ts";
import type { Side } from "../domain/side.ts";
import type { ExactPrice } from "./exact-price.ts";
import { ExchangeLevel } from "./order.ts";
import type { DepthLevel } from "./records.ts";

/**
 * One side of a book: its levels in order, the best at the end, where most changes happen, so that they move little.
 * Emptied levels stay until the block is closed (`drop`): a level that a recording takes away and gives back costs nothing.
 */
export class ExchangeBookSide {
  readonly side: Side;
  /** Rising: the price for bids, its negative for asks. Parallel to `#levels`. */
  readonly #keys: number[] = [];
  readonly #levels: ExchangeLevel[] = [];
  readonly #sign: 1 | -1;

  constructor(side: Side) {
    this.side = side;
    this.#sign = side === "BUY" ? 1 : -1;
  }

  /** Levels in the array, those emptied in the open block included. */
  get size(): number {
    return this.#levels.length;
  }

  /** The `rank`-th best level, perhaps an emptied one. */
  at(rank: number): ExchangeLevel | undefined {
    return this.#levels[this.#levels.length - 1 - rank];
  }

  /** The best level with something in it. */
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

  /** The level at this price, made when there is none. */
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

  /** Takes an emptied level away. */
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

  /** True when a price of the other side trades with a level of this one. */
  reaches(level: ExchangeLevel, limit: number): boolean {
    return this.side === "BUY" ? level.price >= limit : level.price <= limit;
  }

  /** Up to `limit` levels with something in them, best first. */
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
