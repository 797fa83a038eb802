/** A lag counts as about as long as the known one from this share of it on. */
const ALIKE = 2 / 3;

/**
 * How late a channel that delivers is known to be: the greatest lag of the last `memoryMs`, so that a lag that comes and goes is no
 * news each time. With a memory of 0 it is the newest lag, which a new subscription resets.
 */
export class KnownLag {
  readonly #memoryMs: number;
  #ms = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs;
  }

  get ms(): number {
    return this.#ms;
  }

  /** The channel delivered something this long after another source had shown it. */
  note(lagMs: number, nowMs: number): void {
    const isOver = this.#memoryMs === 0 || nowMs - this.#atMs >= this.#memoryMs;
    if (isOver || lagMs >= this.#ms * ALIKE) this.#atMs = nowMs;
    this.#ms = isOver ? lagMs : Math.max(this.#ms, lagMs);
  }

  /** The channel was subscribed to anew. */
  opened(): void {
    if (this.#memoryMs === 0) this.#ms = 0;
  }
}
