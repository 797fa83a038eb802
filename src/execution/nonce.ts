import { assert } from "../base/assert.ts";
import { isTimeNonce } from "../domain/time-nonce.ts";

/** D6 accepts ±60 s around the venue's clock; half of it leaves room for what we do not know of that clock. */
export const NONCE_AHEAD_MAX_MS = 30_000;

/** Nonces remembered of each kind, to know which ones between them are free: an hour at 18 a second. */
const REMEMBERED = 65_536;

/**
 * `rising`: above every earlier nonce, and no further ahead of the venue's clock than the bound. Where no such nonce exists now,
 * `unused` is one near the clock that this run has not used, and `ahead` is above them all, however far ahead of the clock.
 */
export type NonceOrder = "rising" | "unused" | "ahead";

/**
 * Time nonces (§4.4) of one signer: the venue's time in milliseconds, or one more than the highest so far when that is
 * later. No nonce is ever used twice, whatever the clock does.
 *
 * The venue requires a time nonce that is near its clock and unused (D6), not one above the last. So when its clock is far behind
 * the highest nonce, commands take an unused nonce near the clock. If the venue judges nonces by another clock that stands still
 * meanwhile, a cancel takes one ahead of all. Of earlier runs only the highest nonce is known; a lower one that was used after all
 * is refused, and the command is signed again.
 */
export class NonceAllocator {
  readonly #aheadMaxMs: number;
  readonly #remembered: number;
  #highWater = 0;
  /** Nonces given in rising order, hence sorted; when full, a ring that begins at `#oldest`. */
  readonly #risen: number[] = [];
  #oldest = 0;
  /** Nonces given between those: few, and only after the venue's clock was set back. */
  readonly #inserted = new Set<number>();
  /** Up to here nonces of this run are no longer remembered. */
  #forgottenTo = 0;

  constructor(
    options: { readonly aheadMaxMs?: number | undefined; readonly remembered?: number } = {},
  ) {
    this.#aheadMaxMs = options.aheadMaxMs ?? NONCE_AHEAD_MAX_MS;
    this.#remembered = options.remembered ?? REMEMBERED;
  }

  /** Highest nonce ever given or seen; 0 before the first. */
  get highWater(): number {
    return this.#highWater;
  }

  /** Number of nonces remembered one by one. */
  get remembered(): number {
    return this.#risen.length + this.#inserted.size;
  }

  /** Notes a nonce that this signer used before, from the journal of an earlier run. */
  observe(nonce: number): void {
    assert(Number.isSafeInteger(nonce) && nonce >= 0, "a nonce is a whole number");
    if (nonce > this.#highWater) this.#highWater = nonce;
  }

  /** Notes a single nonce of an earlier run, that of an order which may be open, so that no other command takes it. */
  observeUsed(nonce: number): void {
    this.#insert(nonce);
  }

  /**
   * The next nonce at our time `nowMs` with the venue's clock `venueOffsetMs` ahead of ours. Undefined when it would run
   * more than the bound ahead of the venue's clock (a burst, or a clock that was set back): the venue would refuse it. Try
   * again at `nextFreeMs`.
   */
  tryNext(nowMs: number, venueOffsetMs: number, order: NonceOrder = "rising"): number | undefined {
    const venueMs = Math.floor(nowMs + venueOffsetMs);
    assert(isTimeNonce(venueMs), "the venue's clock reads like a time");
    const rising = Math.max(this.#highWater + 1, venueMs);
    const latest = venueMs + this.#aheadMaxMs;
    const isBetween = rising > latest && order !== "rising" && order !== "ahead";
    const nonce = isBetween ? this.#between(venueMs) : rising;
    if (nonce > latest && order !== "ahead") return undefined;
    this.#give(nonce);
    return nonce;
  }

  /** When, in our time, `tryNext` gives a nonce again; `nowMs` when it does now. */
  nextFreeMs(nowMs: number, venueOffsetMs: number, order: NonceOrder = "rising"): number {
    const risingMs = Math.ceil(this.#highWater + 1 - this.#aheadMaxMs - venueOffsetMs);
    if (order === "rising" || risingMs <= nowMs) return Math.max(nowMs, risingMs);
    if (order === "ahead") return nowMs;
    const venueMs = Math.floor(nowMs + venueOffsetMs);
    const between = this.#between(venueMs);
    return Math.max(nowMs, Math.ceil(between - this.#aheadMaxMs - venueOffsetMs));
  }

  /** The first nonce at or after the venue's time that is not known to be used. */
  #between(venueMs: number): number {
    let nonce = Math.max(venueMs, this.#forgottenTo + 1);
    while (this.#isGiven(nonce)) nonce += 1;
    return nonce;
  }

  #isGiven(nonce: number): boolean {
    if (this.#inserted.has(nonce)) return true;
    const { length } = this.#risen;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const given = this.#risen[(this.#oldest + middle) % length] ?? 0;
      if (given === nonce) return true;
      if (given < nonce) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  #give(nonce: number): void {
    if (nonce > this.#highWater) {
      this.#highWater = nonce;
      this.#rise(nonce);
      return;
    }
    this.#insert(nonce);
  }

  #insert(nonce: number): void {
    this.#inserted.add(nonce);
    if (this.#inserted.size <= this.#remembered) return;
    for (const oldest of this.#inserted) {
      this.#inserted.delete(oldest);
      this.#forgottenTo = Math.max(this.#forgottenTo, oldest);
      return;
    }
  }

  /** An array rather than a set: a set of this size costs each order some microseconds and is read only after a clock was set back. */
  #rise(nonce: number): void {
    if (this.#risen.length < this.#remembered) {
      this.#risen.push(nonce);
      return;
    }
    this.#forgottenTo = Math.max(this.#forgottenTo, this.#risen[this.#oldest] ?? 0);
    this.#risen[this.#oldest] = nonce;
    this.#oldest = (this.#oldest + 1) % this.#remembered;
  }
}
