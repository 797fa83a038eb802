import { NONCE_AHEAD_MAX_MS } from "../execution/nonce.ts";
import type { Clock } from "../ports/clock.ts";

/**
 * Nonces of cancels that no kernel signs: the venue's time, or one more than the last. They begin above the journal's highest unless that
 * is too far ahead of the venue's clock. After a refusal the next one is tried.
 */
export class LastNonces {
  readonly #clock: Clock;
  readonly #offsetMs: number;
  #last: number;

  /** `offsetMs`: the venue's clock minus ours. `aheadMs`: how far ahead of it they begin. */
  constructor(clock: Clock, highWater: number, offsetMs: number, aheadMs = 0) {
    this.#clock = clock;
    this.#offsetMs = offsetMs;
    const venueMs = this.#venueMs();
    const isNear = highWater < venueMs + NONCE_AHEAD_MAX_MS;
    this.#last = Math.max(isNear ? highWater : 0, venueMs - 1) + aheadMs;
  }

  /** The highest nonce given, or used before. */
  get highWater(): number {
    return this.#last;
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, this.#venueMs());
    return this.#last;
  }

  #venueMs(): number {
    return Math.floor(this.#clock.nowMs() + this.#offsetMs);
  }
}
