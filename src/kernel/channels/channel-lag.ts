const NEVER = Number.POSITIVE_INFINITY;

/** The newest reading of the venue's clock. */
export interface ClockReading {
  /** The venue's clock minus ours; undefined before the first reading. */
  offsetMs: number | undefined;
  /** How wrong the offset may be. */
  doubtMs: number;
  /** When the reading was requested, our clock. */
  queriedMs: number;
}

/**
 * How old a channel's events are when they arrive, by the venue's clock. A clock that was set looks the same as a late channel, so a
 * lag counts only after the clock was read again.
 */
export class ChannelLag {
  #timeMs = Number.NaN;
  #arrivedMs = 0;
  /** Since when events are late, our clock. */
  #lateFromMs = NEVER;

  /** Venue time of the newest event; NaN when none counts. */
  get newestMs(): number {
    return this.#timeMs;
  }

  arrived(timeMs: number, nowMs: number): void {
    this.#timeMs = timeMs;
    this.#arrivedMs = nowMs;
  }

  /** The newest event no longer counts, for example because another source has shown the same state. */
  forget(): void {
    this.#timeMs = Number.NaN;
    this.#lateFromMs = NEVER;
  }

  /** How old the newest event was at least when it arrived, in milliseconds; 0 when that is not known. */
  lagMs({ offsetMs, doubtMs }: ClockReading): number {
    if (offsetMs === undefined || Number.isNaN(this.#timeMs)) return 0;
    return Math.max(0, this.#arrivedMs + offsetMs - doubtMs - this.#timeMs);
  }

  /**
   * Whether events are later than `limitMs`: `unproven` until the clock has been read since the first late one. Call it once a step.
   */
  judge(clock: ClockReading, limitMs: number, nowMs: number): "timely" | "unproven" | "late" {
    if (this.lagMs(clock) <= limitMs) {
      this.#lateFromMs = NEVER;
      return "timely";
    }
    if (this.#lateFromMs === NEVER) this.#lateFromMs = nowMs;
    return clock.queriedMs >= this.#lateFromMs ? "late" : "unproven";
  }

  /** Our time at which the newest event happened, by the given reading. */
  happenedMs(clock: ClockReading): number {
    return this.#arrivedMs - this.lagMs(clock);
  }
}
