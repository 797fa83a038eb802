import { assert } from "../base/assert.ts";

/** D6 accepts ±60 s around the venue's clock; half of it leaves room for what we do not know of that clock. */
const AHEAD_MAX_MS = 30_000;
/** From here on the venue reads a nonce as a time (D6). */
const TIME_NONCE_MIN = 1_000_000_000_000;

/**
 * Time nonces (§4.4) of one signer: the venue's time in milliseconds, or one more than the highest so far when that is
 * later. Strictly rising whatever the clock does, so none is ever used twice.
 */
export class NonceAllocator {
  readonly #aheadMaxMs: number;
  #highWater = 0;

  constructor(options: { readonly aheadMaxMs?: number } = {}) {
    this.#aheadMaxMs = options.aheadMaxMs ?? AHEAD_MAX_MS;
  }

  /** Highest nonce ever given or seen; 0 before the first. */
  get highWater(): number {
    return this.#highWater;
  }

  /** A nonce that this signer used before: of an earlier run's journal. */
  observe(nonce: number): void {
    assert(Number.isSafeInteger(nonce) && nonce >= 0, "a nonce is a whole number");
    if (nonce > this.#highWater) this.#highWater = nonce;
  }

  /**
   * The next nonce at our time `nowMs` with the venue's clock `venueOffsetMs` ahead of ours. Undefined when it would run
   * more than the bound ahead of the venue's clock (a burst, or a clock that was set back): the venue would refuse it, so wait until
   * `nextFreeMs`.
   */
  tryNext(nowMs: number, venueOffsetMs: number): number | undefined {
    const venueMs = Math.floor(nowMs + venueOffsetMs);
    assert(venueMs >= TIME_NONCE_MIN, "the venue's clock reads like a time");
    const nonce = Math.max(this.#highWater + 1, venueMs);
    if (nonce > venueMs + this.#aheadMaxMs) return undefined;
    this.#highWater = nonce;
    return nonce;
  }

  /** When, in our time, `tryNext` gives a nonce again; `nowMs` when it does now. */
  nextFreeMs(nowMs: number, venueOffsetMs: number): number {
    return Math.max(nowMs, Math.ceil(this.#highWater + 1 - this.#aheadMaxMs - venueOffsetMs));
  }
}
