import { isTimeNonce } from "../domain/time-nonce.ts";

/** The part of our doubt about the venue's clock that no reading shows: its clock and ours drift apart until the next one. */
const DRIFT_MS = 1_000;

/**
 * Until when the venue may accept signed bytes: as long as their time nonce is within its window (D6), however late they arrive. After
 * that, no copy of them can become an order (D37).
 */
export class NonceExpiry {
  readonly #windowMs: number;
  #offsetMs: number | undefined;
  #doubtMs = 0;

  /** `windowMs`: the venue refuses nonces that are further than this behind its clock. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** The venue's clock was read: it is `offsetMs` ahead of ours, give or take `roundTripMs`. */
  observe(offsetMs: number, roundTripMs: number): void {
    this.#offsetMs = offsetMs;
    this.#doubtMs = roundTripMs + DRIFT_MS;
  }

  /**
   * From when on, our clock, the venue refuses this nonce; Infinity while its clock is not known, 0 for a nonce that is not a time and
   * has no window.
   */
  expiresMs(nonce: number): number {
    if (!isTimeNonce(nonce)) return 0;
    if (this.#offsetMs === undefined) return Number.POSITIVE_INFINITY;
    return nonce + this.#windowMs + this.#doubtMs - this.#offsetMs;
  }
}
