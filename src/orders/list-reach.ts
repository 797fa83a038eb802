/**
 * How far the newest of the venue's lists of one kind reaches. A list ends at the venue's time, so one from just after its clock was set back
 * lacks records of the time before that.
 */
export class ListReach {
  #queriedMs = Number.NEGATIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;

  /** When the list was requested, our clock; -Infinity before the first. */
  get queriedMs(): number {
    return this.#queriedMs;
  }

  /** By the venue's clock and the readings of it so far; -Infinity before the first list. */
  get toMs(): number {
    return this.#toMs;
  }

  /** A list came. `offsetMs`: the venue's clock minus ours, undefined while it is unknown. */
  listed(queriedMs: number, offsetMs = 0): void {
    this.#queriedMs = queriedMs;
    this.#toMs = queriedMs + offsetMs;
  }

  /** The venue's clock minus ours, read after the list: it may have been set before the list was made. */
  clockRead(offsetMs: number): void {
    this.#toMs = Math.min(this.#toMs, this.#queriedMs + offsetMs);
  }
}
