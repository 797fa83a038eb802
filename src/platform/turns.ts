/** Work for clients may take this long of one turn of the event loop. */
const TURN_MS = 3;

/** Spreads the work of a server over turns of the event loop, so that many clients together do not hold it. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** Undefined when this turn has done no work yet. */
  #startMs: number | undefined;

  /**
   * Does `work` now, and returns true; or on a later turn, after all that waits already. An error of `work` is the caller's when it is
   * done now, and an uncaught exception later; what waits behind it is done on the next turn.
   */
  run(work: () => void): boolean {
    if (this.#waiting.length > 0 || this.#isSpent()) {
      this.#waiting.push(work);
      return false;
    }
    work();
    return true;
  }

  #isSpent(): boolean {
    const nowMs = performance.now();
    if (this.#startMs !== undefined) return nowMs - this.#startMs > TURN_MS;
    this.#startMs = nowMs;
    setImmediate(() => this.#next());
    return false;
  }

  #next(): void {
    this.#startMs = undefined;
    while (this.#waiting.length > 0 && !this.#isSpent()) this.#waiting.shift()?.();
  }
}
