import { assert } from "./assert.ts";

/**
 * A list that is filled and cleared again and again, and keeps its room meanwhile: an array that is emptied gives its room
 * back, and getting it anew costs more than what is put there. What was in it stays referenced until it is overwritten.
 */
export class ScratchList<Item> {
  readonly #items: Item[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    this.#items[this.#size] = item;
    this.#size += 1;
  }

  at(index: number): Item {
    assert(index >= 0 && index < this.#size, "an index inside");
    return this.#items[index] as Item;
  }

  includes(item: Item): boolean {
    for (let at = 0; at < this.#size; at += 1) if (this.#items[at] === item) return true;
    return false;
  }

  clear(): void {
    this.#size = 0;
  }
}
