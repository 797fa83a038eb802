import { assert } from "../base/assert.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Order } from "./order.ts";

const EMPTY = 0;
/** A power of two. */
const LEAST_SLOTS = 1024;
/** Trailing digits of an id that are hashed: ids of legs and of recorded orders differ only there. */
const DIGITS = 12;

/**
 * Orders by id in a hash table with linear probing. With full histories every new order evicts an old one, and a Map then
 * rehashes itself from time to time, which takes 50 to 100 ms. This table needs no rehash after deletions.
 */
export class OrderTable {
  #hashes = new Int32Array(LEAST_SLOTS);
  #orders: (Order | undefined)[] = emptySlots(LEAST_SLOTS);
  #mask = LEAST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(orderId: OrderId): Order | undefined {
    return this.#orders[this.#slot(orderId, hashOf(orderId))];
  }

  /** Adds an order, replacing one with the same id. */
  set(order: Order): void {
    const { orderId } = order;
    const hash = hashOf(orderId);
    const slot = this.#slot(orderId, hash);
    if (this.#hashes[slot] === EMPTY) this.#size += 1;
    this.#hashes[slot] = hash;
    this.#orders[slot] = order;
    // At most half full: runs of taken slots stay short.
    if (2 * this.#size > this.#mask) this.#grow();
  }

  delete(orderId: OrderId): void {
    let hole = this.#slot(orderId, hashOf(orderId));
    if (this.#hashes[hole] === EMPTY) return;
    this.#size -= 1;
    // Entries behind the hole that a lookup would no longer reach move into it.
    for (let at = (hole + 1) & this.#mask; ; at = (at + 1) & this.#mask) {
      const hash = this.#hashes[at] ?? EMPTY;
      if (hash === EMPTY) break;
      const home = hash & this.#mask;
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue;
      this.#hashes[hole] = hash;
      this.#orders[hole] = this.#orders[at];
      hole = at;
    }
    this.#hashes[hole] = EMPTY;
    this.#orders[hole] = undefined;
  }

  /** The order's slot, or the empty slot where it would be inserted. */
  #slot(orderId: OrderId, hash: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const taken = this.#hashes[slot];
      if (taken === EMPTY || (taken === hash && this.#orders[slot]?.orderId === orderId)) {
        return slot;
      }
    }
  }

  #grow(): void {
    const hashes = this.#hashes;
    const orders = this.#orders;
    this.#mask = 2 * this.#mask + 1;
    this.#hashes = new Int32Array(this.#mask + 1);
    this.#orders = emptySlots(this.#mask + 1);
    for (let from = 0; from < hashes.length; from += 1) {
      const hash = hashes[from] ?? EMPTY;
      if (hash === EMPTY) continue;
      let slot = hash & this.#mask;
      while (this.#hashes[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
      this.#hashes[slot] = hash;
      this.#orders[slot] = orders[from];
    }
  }
}

function emptySlots(count: number): (Order | undefined)[] {
  return new Array<Order | undefined>(count).fill(undefined);
}

/** Never equals EMPTY. */
function hashOf(orderId: OrderId): number {
  assert(orderId.length >= DIGITS, "a hash");
  let hash = 0;
  for (let at = orderId.length - DIGITS; at < orderId.length; at += 1) {
    hash = Math.imul(hash, 31) + orderId.charCodeAt(at);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  hash ^= hash >>> 15;
  return hash === EMPTY ? 1 : hash;
}
