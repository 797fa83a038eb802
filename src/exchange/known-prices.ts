import type { Side } from "../domain/side.ts";

/** A side that has named more prices than this counts as known, so that memory is bounded. */
const NAMES_MAX = 262_144;

/**
 * The prices of a side whose recorded quantity is known: those up to the last level of the newest whole book, since a book may end before
 * its side does, those that events have named since, and those where the other side has been since, which proves them empty. Without a
 * whole book, at the start or after a gap, only the latter two.
 */
export class KnownPrices {
  readonly #sign: 1 | -1;
  /** Sign × the last price that the whole book covers, or the other side. */
  #end = Number.POSITIVE_INFINITY;
  readonly #named = new Set<number>();

  constructor(side: Side) {
    this.#sign = side === "BUY" ? 1 : -1;
  }

  has(price: number): boolean {
    return this.#sign * price >= this.#end || this.#named.has(price);
  }

  /** An event names a price. Returns true when its quantity was not known before. */
  name(price: number): boolean {
    if (this.#sign * price >= this.#end) return false;
    const named = this.#named;
    const before = named.size;
    named.add(price);
    if (named.size === before) return false;
    if (before === NAMES_MAX) this.#restart(Number.NEGATIVE_INFINITY);
    return true;
  }

  /** A whole book covers the prices up to this one; undefined when it has no level on this side, which is then empty. */
  coverUpTo(price: number | undefined): void {
    this.#restart(price === undefined ? Number.NEGATIVE_INFINITY : this.#sign * price);
  }

  /** The other side has a level at this price, so this one had none there or better: events will name those that come. */
  coverBeyond(price: number): void {
    this.#end = Math.min(this.#end, this.#sign * price);
  }

  forgetAll(): void {
    this.#restart(Number.POSITIVE_INFINITY);
  }

  #restart(end: number): void {
    this.#end = end;
    this.#named.clear();
  }
}
