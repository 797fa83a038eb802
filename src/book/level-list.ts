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

  /**
   * Sets the first `count` pairs of key and quantity in one pass; of two pairs with one key the later counts. One by one, thousands of
   * changes far from the best would each move the whole list.
   */
  merge(pairs: Float64Array, count: number): void {
    const order = ascending(pairs, count);
    const before = this.#keys;
    const quantities = this.#quantities;
    const stop = this.#size;
    const room = roomFor(stop + count);
    const merged = new Float64Array(room);
    const mergedQuantities = new Float64Array(room);
    let size = 0;
    let from = 0;
    for (let at = 0; at < count; at += 1) {
      const pair = order[at] ?? 0;
      const key = pairs[2 * pair] ?? 0;
      // A later pair with this key follows at once, since the order is stable.
      if (at + 1 < count && pairs[2 * (order[at + 1] ?? 0)] === key) continue;
      for (; from < stop && (before[from] ?? 0) < key; from += 1, size += 1) {
        merged[size] = before[from] ?? 0;
        mergedQuantities[size] = quantities[from] ?? 0;
      }
      if (from < stop && before[from] === key) from += 1;
      const quantity = pairs[2 * pair + 1] ?? 0;
      if (quantity === 0) continue;
      merged[size] = key;
      mergedQuantities[size] = quantity;
      size += 1;
    }
    merged.set(before.subarray(from, stop), size);
    mergedQuantities.set(quantities.subarray(from, stop), size);
    this.#keys = merged;
    this.#quantities = mergedQuantities;
    this.#size = size + stop - from;
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

/** Indexes of the pairs by ascending key, equal keys in their order. Both sides of a message usually come best first. */
function ascending(pairs: Float64Array, count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  const keyOf = (pair: number): number => pairs[2 * pair] ?? 0;
  let isDescending = true;
  for (let at = 1; at < count && isDescending; at += 1) isDescending = keyOf(at) < keyOf(at - 1);
  return isDescending
    ? order.reverse()
    : order.sort((left, right) => keyOf(left) - keyOf(right) || left - right);
}

/** A power of two with room for this many levels. */
function roomFor(levels: number): number {
  return Math.max(64, 2 ** Math.ceil(Math.log2(levels + 1)));
}

function doubled(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(values.length * 2);
  grown.set(values);
  return grown;
}
