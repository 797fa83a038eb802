/**
 * Levels of one side at arbitrary prices, in sorted arrays: keys ascending, the best level last. A key is the price for
 * bids and the negated price for asks, so a higher key is always better. A change near the best moves few elements.
 */
export class LevelList {
  #keys = new Float64Array(64);
  #quantities = new Float64Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The key at `index`, 0 being the worst; NaN outside. */
  keyAt(index: number): number {
    return index < this.#size ? (this.#keys[index] ?? Number.NaN) : Number.NaN;
  }

  quantityAt(index: number): number {
    return index < this.#size ? (this.#quantities[index] ?? 0) : 0;
  }

  /** Quantity at `key`, 0 when there is no such level. */
  quantityOf(key: number): number {
    const at = this.#find(key);
    return this.keyAt(at) === key ? this.quantityAt(at) : 0;
  }

  /** Sets the quantity at `key`; 0 removes the level, if there is one. */
  set(key: number, quantity: number): void {
    const at = this.#find(key);
    const isThere = this.keyAt(at) === key;
    if (quantity === 0) {
      if (isThere) this.#removeAt(at);
    } else if (isThere) this.#quantities[at] = quantity;
    else this.#insertAt(at, key, quantity);
  }

  clear(): void {
    this.#size = 0;
  }

  /** Index of the first key at or above `key`. */
  #find(key: number): number {
    const keys = this.#keys;
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #removeAt(at: number): void {
    this.#keys.copyWithin(at, at + 1, this.#size);
    this.#quantities.copyWithin(at, at + 1, this.#size);
    this.#size -= 1;
  }

  #insertAt(at: number, key: number, quantity: number): void {
    if (this.#size === this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#quantities = doubled(this.#quantities);
    }
    this.#keys.copyWithin(at + 1, at, this.#size);
    this.#quantities.copyWithin(at + 1, at, this.#size);
    this.#keys[at] = key;
    this.#quantities[at] = quantity;
    this.#size += 1;
  }
}

function doubled(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(values.length * 2);
  grown.set(values);
  return grown;
}
