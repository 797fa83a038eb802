import { showsSetClock } from "../orders/shows-set-clock.ts";
import type { LastEntry, LostTail, Restored, VenueReading } from "../kernel/input.ts";

/** A list of open orders was requested no earlier than this before its response. */
const LIST_MS = 60_000;

type Bounds = Pick<Restored, "lastEntry" | "venueTime" | "venueOffsetMs" | "lostTails">;

/**
 * What bounds the orders that a power cut may remove or has removed from a journal: the time and clock reading of its newest entry, and the tails that
 * earlier runs lost.
 */
export class PowerCutBounds {
  #lostTails: readonly LostTail[];
  /** Time of the newest entry; undefined until the run has placed an order, and after its clean end. */
  #orderedMs: number | undefined;
  #venueTime: VenueReading | undefined;
  /** The run has a reading of the venue's clock. What an earlier run read says nothing of the clocks of now. */
  #hasReading = false;
  /** As `#venueTime`, or of the run before while this one has no reading. */
  #venueOffsetMs: number | undefined;

  constructor({ lastEntry, venueTime, venueOffsetMs, lostTails }: Bounds) {
    this.#lostTails = lostTails ?? [];
    this.#orderedMs = lastEntry?.nowMs;
    this.#venueTime = lastEntry === undefined ? venueTime : readingOf(lastEntry);
    this.#venueOffsetMs = venueOffsetMs;
  }

  /** The journal has an entry of this time. */
  entry(nowMs: number): void {
    if (this.#orderedMs !== undefined) this.#orderedMs = nowMs;
  }

  /** The entry of this time places an order. */
  placed(nowMs: number): void {
    this.#orderedMs = nowMs;
  }

  /** The venue's clock was read at `nowMs`. */
  read(reading: VenueReading, nowMs: number): void {
    this.#venueTime = readingOf(reading);
    const { offsetMs } = reading;
    this.#venueOffsetMs = offsetMs;
    this.#hasReading = true;
    // A later run may read the clock when it was set again, so that nothing shows it any more.
    this.#lostTails = this.#lostTails.map((tail) =>
      showsSetClock(tail, { offsetMs, venueMs: nowMs + offsetMs })
        ? { ...tail, wasClockSet: true }
        : tail,
    );
  }

  /** The open orders were listed: orders of a lost tail that had all arrived when the list was requested have been shown. */
  listed(nowMs: number): void {
    if (!this.#hasReading || this.#lostTails.length === 0 || this.#venueTime === undefined) return;
    const venueMs = nowMs + this.#venueTime.offsetMs - LIST_MS;
    this.#lostTails = this.#lostTails.filter(
      ({ untilMs, landsUntilMs = untilMs }) => landsUntilMs >= venueMs,
    );
  }

  /** The run ended cleanly: the journal has all of its orders. */
  ended(): void {
    this.#orderedMs = undefined;
  }

  /** As plain data, for the next run. */
  plain(): Bounds {
    const nowMs = this.#orderedMs;
    const reading = this.#venueTime;
    return {
      ...(this.#venueOffsetMs === undefined ? {} : { venueOffsetMs: this.#venueOffsetMs }),
      ...(this.#lostTails.length === 0 ? {} : { lostTails: this.#lostTails }),
      ...(reading === undefined
        ? {}
        : nowMs === undefined
          ? { venueTime: reading }
          : { lastEntry: { nowMs, ...reading } }),
    };
  }
}

function readingOf({ offsetMs, roundTripMs }: VenueReading | LastEntry): VenueReading {
  return { offsetMs, roundTripMs };
}
