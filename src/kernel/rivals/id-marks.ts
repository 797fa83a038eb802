const CAPACITY = 64;

/**
 * Ids that a channel still has to reach, ascending, each with the time since when it is known. Their number is bounded: ids that
 * follow within `spacingMs` of the newest mark are left out, and so are further ones when all places are taken.
 */
export class IdMarks {
  readonly #spacingMs: number;
  readonly #ids = new Float64Array(CAPACITY);
  readonly #times = new Float64Array(CAPACITY);
  #first = 0;
  #count = 0;

  constructor(spacingMs: number) {
    this.#spacingMs = spacingMs;
  }

  /** Since when the oldest mark is known; Infinity without marks. */
  get sinceMs(): number {
    return this.#count === 0
      ? Number.POSITIVE_INFINITY
      : (this.#times[this.#first] ?? Number.POSITIVE_INFINITY);
  }

  add(id: number, nowMs: number): void {
    if (this.#count === CAPACITY) return;
    if (this.#count > 0) {
      const newest = (this.#first + this.#count - 1) % CAPACITY;
      const isKnown = id <= (this.#ids[newest] ?? 0);
      if (isKnown || nowMs - (this.#times[newest] ?? 0) < this.#spacingMs) return;
    }
    const at = (this.#first + this.#count) % CAPACITY;
    this.#ids[at] = id;
    this.#times[at] = nowMs;
    this.#count += 1;
  }

  /** The channel has reached this id: forgets the marks up to it. */
  reached(id: number): void {
    while (this.#count > 0 && (this.#ids[this.#first] ?? 0) <= id) {
      this.#first = (this.#first + 1) % CAPACITY;
      this.#count -= 1;
    }
  }

  clear(): void {
    this.#count = 0;
  }
}
