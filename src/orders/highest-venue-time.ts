/** An event dated further ahead of the venue's clock than this has the time of before that clock was set back. */
const READING_ERROR_MS = 1_000;
/** An event dated further ahead of the venue's clock is not believed. */
const EVENT_AHEAD_MS = 60_000;

/** The highest time that the venue's clock has shown: its records may keep that when the clock is set back. */
export class HighestVenueTime {
  #offsetMs: number | undefined;
  #highestMs = Number.NEGATIVE_INFINITY;

  /** The venue's clock minus ours by the newest reading; undefined before the first. */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  /** By the venue's clock; -Infinity before the first reading. */
  get ms(): number {
    return this.#highestMs;
  }

  /** The venue's clock minus ours, read now. */
  clockRead(offsetMs: number, nowMs: number): void {
    this.#highestMs = Math.max(this.#highestMs, nowMs + (this.#offsetMs ?? offsetMs));
    this.#offsetMs = offsetMs;
  }

  /**
   * An event had this time of the venue. When its clock was set back before this run, only events show how high it has been. Returns whether
   * this one shows that.
   */
  eventDated(timeMs: number, nowMs: number): boolean {
    if (this.#offsetMs === undefined) return false;
    const venueNowMs = nowMs + this.#offsetMs;
    if (timeMs > venueNowMs + EVENT_AHEAD_MS) return false;
    this.#highestMs = Math.max(this.#highestMs, timeMs);
    return timeMs > venueNowMs + READING_ERROR_MS;
  }
}
