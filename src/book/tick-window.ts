/**
 * A dense window of quantities, one slot per tick, with a three-level bitset above it that finds the next occupied slot in
 * a few steps. Slots count upwards from the window's worst price to its best; `BookSide` maps prices to slots.
 */

/** Slots of a new window: a range of 655 USDT at a tick of 0.01, more than half of the 5-digit grid of §4.5. */
const SMALL = 1 << 16;
/** Slots of an enlarged window, which takes 2 MiB. */
const LARGE = 1 << 18;

export class TickWindow {
  #slots = SMALL;
  #quantities = new Float64Array(SMALL);
  /** One bit per occupied slot, per non-empty word, and per non-empty group of words. */
  #words = new Int32Array(SMALL >> 5);
  #groups = new Int32Array(SMALL >> 10);
  #tops = new Int32Array(SMALL >> 15);
  #size = 0;
  #best = -1;

  get slots(): number {
    return this.#slots;
  }

  /** Whether this is the larger of the two sizes. */
  get isLarge(): boolean {
    return this.#slots === LARGE;
  }

  get size(): number {
    return this.#size;
  }

  /** The highest occupied slot, -1 when there is none. */
  get best(): number {
    return this.#best;
  }

  quantityAt(slot: number): number {
    return this.#quantities[slot] ?? 0;
  }

  /** Sets the quantity of a slot in [0, `slots`), and returns what it was; 0 removes. */
  swap(slot: number, quantity: number): number {
    const quantities = this.#quantities;
    const before = quantities[slot] ?? 0;
    if (before === quantity) return before;
    quantities[slot] = quantity;
    if (quantity === 0) this.#remove(slot);
    else if (before === 0) this.#add(slot);
    return before;
  }

  #add(slot: number): void {
    this.#size += 1;
    this.#mark(slot);
    if (slot > this.#best) this.#best = slot;
  }

  #remove(slot: number): void {
    this.#size -= 1;
    this.#unmark(slot);
    if (slot === this.#best) this.#best = this.below(slot);
  }

  /** The next occupied slot below `slot`, -1 when there is none. */
  below(slot: number): number {
    let word = slot >> 5;
    const inWord = (this.#words[word] ?? 0) & ((1 << (slot & 31)) - 1);
    if (inWord !== 0) return (word << 5) + highest(inWord);
    let group = word >> 5;
    const inGroup = (this.#groups[group] ?? 0) & ((1 << (word & 31)) - 1);
    if (inGroup === 0) {
      let top = group >> 5;
      let inTop = (this.#tops[top] ?? 0) & ((1 << (group & 31)) - 1);
      while (inTop === 0) {
        top -= 1;
        if (top < 0) return -1;
        inTop = this.#tops[top] ?? 0;
      }
      group = (top << 5) + highest(inTop);
      word = (group << 5) + highest(this.#groups[group] ?? 0);
    } else word = (group << 5) + highest(inGroup);
    return (word << 5) + highest(this.#words[word] ?? 0);
  }

  /** Takes the larger size; the window is empty afterwards. */
  enlarge(): void {
    this.#slots = LARGE;
    this.#quantities = new Float64Array(LARGE);
    this.#words = new Int32Array(LARGE >> 5);
    this.#groups = new Int32Array(LARGE >> 10);
    this.#tops = new Int32Array(LARGE >> 15);
    this.#size = 0;
    this.#best = -1;
  }

  clear(): void {
    for (let slot = this.#best; slot >= 0; slot = this.below(slot)) this.#quantities[slot] = 0;
    this.#words.fill(0);
    this.#groups.fill(0);
    this.#tops.fill(0);
    this.#size = 0;
    this.#best = -1;
  }

  #mark(slot: number): void {
    const word = slot >> 5;
    const group = word >> 5;
    const top = group >> 5;
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (slot & 31));
    this.#groups[group] = (this.#groups[group] ?? 0) | (1 << (word & 31));
    this.#tops[top] = (this.#tops[top] ?? 0) | (1 << (group & 31));
  }

  #unmark(slot: number): void {
    const word = slot >> 5;
    const left = (this.#words[word] ?? 0) & ~(1 << (slot & 31));
    this.#words[word] = left;
    if (left !== 0) return;
    const group = word >> 5;
    const leftInGroup = (this.#groups[group] ?? 0) & ~(1 << (word & 31));
    this.#groups[group] = leftInGroup;
    if (leftInGroup !== 0) return;
    const top = group >> 5;
    this.#tops[top] = (this.#tops[top] ?? 0) & ~(1 << (group & 31));
  }
}

/** Index of the highest set bit of a word that is not 0. */
function highest(word: number): number {
  return 31 - Math.clz32(word);
}
