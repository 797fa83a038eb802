import { assert } from "./assert.ts";

/**
 * A list that is filled and cleared repeatedly and keeps its memory, since an emptied array gives its memory back. Removed items
 * stay referenced until they are overwritten.
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
