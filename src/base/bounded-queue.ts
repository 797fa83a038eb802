import { assert } from "./assert.ts";

/** First-in, first-out queue of fixed capacity. A full queue refuses new items and counts them. */
export class BoundedQueue<Item> {
  readonly #slots: (Item | undefined)[];
  #head = 0;
  #size = 0;
  #dropped = 0;

  constructor(capacity: number) {
    assert(Number.isInteger(capacity) && capacity > 0, "capacity is a positive integer");
    this.#slots = new Array<Item | undefined>(capacity).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  /** Number of items refused because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Appends `item`. Returns false, and counts the item as dropped, when the queue is full. */
  push(item: Item): boolean {
    if (this.#size === this.#slots.length) {
      this.#dropped += 1;
      return false;
    }
    this.#slots[(this.#head + this.#size) % this.#slots.length] = item;
    this.#size += 1;
    return true;
  }

  /** Removes and returns the oldest item, or undefined when empty. */
  shift(): Item | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#size -= 1;
    return item;
  }
}
