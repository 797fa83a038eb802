import { assert } from "./assert.ts";

/** Ring buffer of the newest `capacity` items. */
export class Ring<Item> {
  readonly capacity: number;
  readonly #slots: Item[] = [];
  /** Slot of the next item once the ring is full. */
  #next = 0;

  constructor(capacity: number) {
    assert(Number.isInteger(capacity) && capacity > 0, "capacity is a positive integer");
    this.capacity = capacity;
  }

  get size(): number {
    return this.#slots.length;
  }

  /** Adds `item` as the newest; returns the item that it displaced, if any. */
  push(item: Item): Item | undefined {
    if (this.#slots.length < this.capacity) {
      this.#slots.push(item);
      return undefined;
    }
    const oldest = this.#slots[this.#next];
    this.#slots[this.#next] = item;
    this.#next = this.#next + 1 === this.capacity ? 0 : this.#next + 1;
    return oldest;
  }

  /** Replaces the newest item. Throws AssertionError when the ring is empty. */
  replaceNewest(item: Item): void {
    const size = this.#slots.length;
    assert(size > 0, "there is a newest item");
    this.#slots[(this.#next + size - 1) % size] = item;
  }

  /** The `age`-th newest (0 is the newest); undefined beyond the oldest. */
  newest(age = 0): Item | undefined {
    const size = this.#slots.length;
    if (age < 0 || age >= size) return undefined;
    return this.#slots[(this.#next + 2 * size - 1 - age) % size];
  }

  /** All items in a new array. */
  oldestFirst(): Item[] {
    return [...this.#slots.slice(this.#next), ...this.#slots.slice(0, this.#next)];
  }

  *newestFirst(): Generator<Item> {
    for (let age = 0; age < this.#slots.length; age += 1) {
      const item = this.newest(age);
      if (item !== undefined) yield item;
    }
  }
}
