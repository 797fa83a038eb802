import { assert } from "../base/assert.ts";
import { Ring } from "../base/ring.ts";
import { isTimeNonce } from "../domain/time-nonce.ts";

/** D6 accepts ±60 s around the venue's clock; half of it leaves room for what we do not know of that clock. */
export const NONCE_AHEAD_MAX_MS = 30_000;

/** Most of the random spread of a process that writes no journal. */
export const NONCE_SPREAD_MAX_MS = 10_000;

/** Nonces remembered: more than eight minutes at 20 a second. */
const REMEMBERED = 10_000;

export interface NonceOptions {
  /** Nonces are at most this far ahead of the venue's clock. Default `NONCE_AHEAD_MAX_MS`. */
  readonly aheadMaxMs?: number | undefined;
  /** Added to the venue's clock, so that processes that do not know of each other rarely take the same nonce. Default 0. */
  readonly spreadMs?: number;
}

/**
 * Time nonces (§4.4) of one signer: the venue's time in milliseconds, or one more than the last when that is later. When the last is too far
 * ahead, because the venue's clock was set back or an earlier run followed another clock, they begin anew at the venue's time. The venue
 * requires a nonce that is near its clock and unused (D6), not one above the last: it refuses one that was used, and the command is
 * signed again with the next.
 */
export class NonceAllocator {
  readonly #aheadMaxMs: number;
  readonly #spreadMs: number;
  #last = 0;
  #highWater = 0;
  /** The newest nonces given, so that none is given again after the venue's clock was set back: only then is it searched. */
  readonly #given = new Ring<number>(REMEMBERED);

  constructor({ aheadMaxMs = NONCE_AHEAD_MAX_MS, spreadMs = 0 }: NonceOptions = {}) {
    this.#aheadMaxMs = aheadMaxMs;
    this.#spreadMs = spreadMs;
  }

  /** Highest nonce ever given or seen; 0 before the first. */
  get highWater(): number {
    return this.#highWater;
  }

  /** Notes a nonce that this signer used before, from the journal of an earlier run. */
  observe(nonce: number): void {
    assert(Number.isSafeInteger(nonce) && nonce >= 0, "a nonce is a whole number");
    this.#last = Math.max(this.#last, nonce);
    this.#highWater = Math.max(this.#highWater, nonce);
  }

  /** The next nonce at our time `nowMs`, with the venue's clock `venueOffsetMs` ahead of ours. */
  next(nowMs: number, venueOffsetMs: number): number {
    const venueMs = Math.floor(nowMs + venueOffsetMs) + this.#spreadMs;
    assert(isTimeNonce(venueMs), "the venue's clock reads like a time");
    const rising = Math.max(this.#last + 1, venueMs);
    this.#last = rising - venueMs > this.#aheadMaxMs ? venueMs : rising;
    if (this.#last <= this.#highWater) {
      const given = new Set(this.#given.oldestFirst());
      while (given.has(this.#last)) this.#last += 1;
    }
    this.#given.push(this.#last);
    this.#highWater = Math.max(this.#highWater, this.#last);
    return this.#last;
  }
}
