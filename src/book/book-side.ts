import type { FlatLevels } from "../domain/depth.ts";
import { LevelList } from "./level-list.ts";
import { TickWindow } from "./tick-window.ts";

/** Place of the best price in a fresh window, a share of its slots: most levels lie behind it, and the market moves either way. */
const ANCHOR = 0.75;
/** The window moves when the best level leaves this part of it. */
const LOWEST = 0.25;
const HIGHEST = 0.9375;
/** The finest tick that a window may have; finer prices go into the list. */
const DECIMALS_MAX = 8;
/** After this many changes at prices off the tick, the side chooses a new tick. */
const OFF_TICK_MAX = 2048;
/** After this many changes beyond the window, the side takes a larger one. */
const BEYOND_MAX = 2048;

/** From this many numbers on, the list takes all its changes of one call in one pass. */
const MANY = 256;

const scales: readonly number[] = Array.from({ length: DECIMALS_MAX + 1 }, (_, decimals) =>
  Number(`1e${decimals}`),
);

/**
 * One side of a book: absolute quantities by price, any positive doubles as prices. Levels around the touch are in a dense
 * window of ticks, where a change costs some nanoseconds. Levels farther away, and prices off the tick, are in a sorted
 * list. The tick is the coarsest that fits nearly all levels, whatever rules the market has; the window follows the touch.
 */
export class BookSide {
  readonly #sign: 1 | -1;
  readonly #window = new TickWindow();
  readonly #list = new LevelList();
  #scale = 1;
  /** Key in ticks of the window's slot 0. */
  #base = 0;
  /** Changes of the list at prices off the tick, and at those on it, beyond the window, since the levels were laid. */
  #offTick = 0;
  #beyond = 0;
  #isLaid = false;
  #cursorFree: LevelCursor | undefined;
  /** Changes of the list that are made together: pairs of key and quantity. */
  #pairs = new Float64Array();
  #held = 0;

  constructor(side: "bids" | "asks") {
    this.#sign = side === "bids" ? 1 : -1;
  }

  /** Levels held. */
  get size(): number {
    return this.#window.size + this.#list.size;
  }

  /** Undefined when the side is empty. */
  get bestPrice(): number | undefined {
    const slot = this.#window.best;
    const listed = this.#list.size - 1;
    if (slot < 0) return listed < 0 ? undefined : this.#sign * this.#list.keyAt(listed);
    const key = this.keyOfSlot(slot);
    if (listed < 0) return this.#sign * key;
    return this.#sign * Math.max(key, this.#list.keyAt(listed));
  }

  /** The best price that is not better than the limit; undefined when there is none. */
  bestUpTo(limit: number): number | undefined {
    const best = this.bestPrice;
    if (best === undefined || this.#sign * best <= this.#sign * limit) return best;
    const cursor = this.#rewound();
    while (cursor.next()) if (this.#sign * cursor.price <= this.#sign * limit) return cursor.price;
    return undefined;
  }

  /** 0 when the side is empty. */
  get bestQuantity(): number {
    const price = this.bestPrice;
    return price === undefined ? 0 : this.quantityAt(price);
  }

  /** 0 when there is no such level. */
  quantityAt(price: number): number {
    const slot = this.#slotOf(price);
    return slot < 0 ? this.#list.quantityOf(this.#sign * price) : this.#window.quantityAt(slot);
  }

  /** Applies flat pairs of price and absolute quantity; 0 removes a level, held or not (§6.3.6). */
  apply(levels: FlatLevels): void {
    this.#put(levels);
    this.settle();
  }

  #put(levels: FlatLevels): void {
    const window = this.#window;
    const scale = this.#scale;
    const sign = this.#sign;
    const base = this.#base;
    const { slots } = window;
    for (let at = 0; at < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const quantity = levels[at + 1] ?? 0;
      // Never sent by a correct venue; a price of 0 must not become the best ask.
      if (!(price > 0 && quantity >= 0)) continue;
      const tick = Math.round(price * scale);
      const slot = sign * tick - base;
      if (slot >= 0 && slot < slots && tick / scale === price) window.swap(slot, quantity);
      else if (levels.length < MANY) this.#putInList(price, quantity);
      else this.#hold(price, quantity, levels.length);
    }
    if (this.#held > 0) this.#list.merge(this.#pairs, this.#held);
    this.#held = 0;
  }

  /** Keeps a change for the list until all `numbers` of this call have been read. */
  #hold(price: number, quantity: number, numbers: number): void {
    if (this.#pairs.length < numbers) this.#pairs = new Float64Array(numbers);
    this.#pairs[2 * this.#held] = this.#sign * price;
    this.#pairs[2 * this.#held + 1] = quantity;
    this.#held += 1;
    this.#countListed(price);
  }

  /**
   * Sets the quantity of one level and returns what it was; 0 removes it. Call `settle` after the last of several. The caller has
   * checked that the price is above 0 and the quantity is not negative.
   */
  swap(price: number, quantity: number): number {
    const slot = this.#slotOf(price);
    return slot >= 0 ? this.#window.swap(slot, quantity) : this.#swapListed(price, quantity);
  }

  /** As `swap` for all pairs of `levels` in their order, and `settle`; `before` takes what each quantity was. */
  swapAll(levels: FlatLevels, before: Float64Array): void {
    const window = this.#window;
    const scale = this.#scale;
    const sign = this.#sign;
    const base = this.#base;
    const { slots } = window;
    // Reads all slots first: the processor then waits for their memory once, not level by level.
    for (let at = 0; at < levels.length; at += 2) {
      const slot = sign * Math.round((levels[at] ?? 0) * scale) - base;
      before[at >> 1] = window.quantityAt(slot & (slots - 1));
    }
    for (let at = 0; at < levels.length; at += 2) {
      const price = levels[at] ?? 0;
      const quantity = levels[at + 1] ?? 0;
      const tick = Math.round(price * scale);
      const slot = sign * tick - base;
      before[at >> 1] =
        slot >= 0 && slot < slots && tick / scale === price
          ? window.swap(slot, quantity)
          : this.#swapListed(price, quantity);
    }
    this.settle();
  }

  #swapListed(price: number, quantity: number): number {
    const before = this.#list.quantityOf(this.#sign * price);
    if (before !== quantity) this.#putInList(price, quantity);
    return before;
  }

  /** Replaces all levels by these. */
  load(levels: FlatLevels): void {
    this.clear();
    this.#choose(levels);
    this.#put(levels);
    // These levels are in the list for good: only further changes of it are a reason for another tick or size.
    this.#offTick = 0;
    this.#beyond = 0;
  }

  clear(): void {
    this.#window.clear();
    this.#list.clear();
    this.#isLaid = false;
  }

  /** Up to `count` levels, best first, as a new array of flat pairs. */
  top(count: number): FlatLevels {
    const levels = new Float64Array(Math.min(count, this.size) * 2);
    const cursor = this.#rewound();
    for (let at = 0; at < levels.length && cursor.next(); at += 2) {
      levels[at] = cursor.price;
      levels[at + 1] = cursor.quantity;
    }
    return levels;
  }

  #rewound(): LevelCursor {
    this.#cursorFree ??= this.cursor();
    this.#cursorFree.rewind();
    return this.#cursorFree;
  }

  /** A reusable cursor over the levels, best first. Rewind it after every change of the side. */
  cursor(): LevelCursor {
    return new LevelCursor(this, this.#window, this.#list, this.#sign);
  }

  /** Sign × price of a slot, exact: a whole number of ticks divided once. For the cursor. */
  keyOfSlot(slot: number): number {
    return (slot + this.#base) / this.#scale;
  }

  #slotOf(price: number): number {
    const tick = Math.round(price * this.#scale);
    if (tick / this.#scale !== price) return -1;
    const slot = this.#sign * tick - this.#base;
    return slot >= 0 && slot < this.#window.slots ? slot : -1;
  }

  #putInList(price: number, quantity: number): void {
    this.#list.set(this.#sign * price, quantity);
    this.#countListed(price);
  }

  #countListed(price: number): void {
    if (this.#isOnTick(price)) this.#beyond += 1;
    else this.#offTick += 1;
  }

  /** Moves the window when the touch has left its middle or the tick no longer fits. */
  settle(): void {
    const best = this.bestPrice;
    if (best === undefined) return;
    const window = this.#window;
    const isSmall = this.#beyond >= BEYOND_MAX && !window.isLarge;
    if (this.#isLaid && this.#offTick < OFF_TICK_MAX && !isSmall) {
      const slot = this.#slotOf(best);
      if (slot >= LOWEST * window.slots && slot < HIGHEST * window.slots) return;
      if (slot < 0 && !this.#isOnTick(best)) return;
    }
    const levels = this.top(this.size);
    if (isSmall) window.enlarge();
    this.load(levels);
  }

  /** Chooses tick and place of an empty window for these levels, best first. */
  #choose(levels: FlatLevels): void {
    if (levels.length === 0) return;
    this.#isLaid = true;
    this.#scale = scales[decimalsOf(levels)] ?? 1;
    this.#base =
      this.#sign * Math.round((levels[0] ?? 0) * this.#scale) - ANCHOR * this.#window.slots;
  }

  #isOnTick(price: number): boolean {
    return Math.round(price * this.#scale) / this.#scale === price;
  }
}

/** The fewest decimals with which nearly all prices (63 of 64) are whole numbers of ticks. */
function decimalsOf(levels: FlatLevels): number {
  const allowed = levels.length / 2 / 64;
  for (let decimals = 0; decimals < DECIMALS_MAX; decimals += 1) {
    const scale = scales[decimals] ?? 1;
    let off = 0;
    for (let at = 0; at < levels.length && off <= allowed; at += 2) {
      const price = levels[at] ?? 0;
      if (Math.round(price * scale) / scale !== price) off += 1;
    }
    if (off <= allowed) return decimals;
  }
  return DECIMALS_MAX;
}

/** Iterates over a side from the best level on, merging window and list. Valid until the side changes. */
class LevelCursor {
  price = 0;
  quantity = 0;
  readonly #side: BookSide;
  readonly #window: TickWindow;
  readonly #list: LevelList;
  readonly #sign: 1 | -1;
  #slot = -1;
  /** `price` and `quantity` are those of the level at this slot. */
  #isShown = false;
  #listed = -1;

  constructor(side: BookSide, window: TickWindow, list: LevelList, sign: 1 | -1) {
    this.#side = side;
    this.#window = window;
    this.#list = list;
    this.#sign = sign;
    this.rewind();
  }

  /** Back to before the best level. */
  rewind(): void {
    this.#slot = this.#window.best;
    this.#isShown = false;
    this.#listed = this.#list.size - 1;
  }

  /** Moves to the next level; false when there is none left. */
  next(): boolean {
    // Most callers read only the touch, so the slot below is looked up when it is needed.
    if (this.#isShown) {
      this.#slot = this.#window.below(this.#slot);
      this.#isShown = false;
    }
    if (this.#slot >= 0) {
      const key = this.#side.keyOfSlot(this.#slot);
      if (this.#listed < 0 || key > this.#list.keyAt(this.#listed)) {
        this.price = this.#sign * key;
        this.quantity = this.#window.quantityAt(this.#slot);
        this.#isShown = true;
        return true;
      }
    }
    if (this.#listed < 0) return false;
    this.price = this.#sign * this.#list.keyAt(this.#listed);
    this.quantity = this.#list.quantityAt(this.#listed);
    this.#listed -= 1;
    return true;
  }
}
