import { TransportError } from "../base/error.ts";
import type { Clock } from "../ports/clock.ts";
import type { ResultOf } from "../spec/endpoint.ts";
import { time } from "../spec/endpoints/time.ts";
import type { CallOptions, VenueClient } from "./venue-client.ts";

/** One reading of the venue's clock. */
export interface VenueTime {
  /** The time that the venue sent, Unix milliseconds. */
  readonly serverTimeMs: number;
  /** The venue's clock minus ours, milliseconds. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

export interface TimeReading extends VenueTime {
  /** What the venue answered before, in a sentence, when that was not believed. */
  readonly doubt?: string;
}

export interface ReadTimeOptions extends CallOptions {
  /** Awaited before each query after the first. */
  waitForToken?(): Promise<void>;
}

export interface VenueClockOptions {
  readonly clock: Clock;
  /** Queries the venue's time (§4.3). */
  fetchTime(options: CallOptions): Promise<ResultOf<typeof time>>;
}

/** `nowMs` and `offsetMs` replace a reading older than this. */
const MAX_AGE_MS = 60_000;
/** Two readings agree when their offsets differ by no more, besides half of each round trip. */
const AGREE_MS = 1_000;
/** A reading further than this from the last one, or a first one from our own clock, is far off. */
const FAR_MS = 60_000;
/** Queries that may follow a surprising answer. */
const MORE_QUERIES = 3;

/**
 * An estimate of the venue's clock from `/time`, on the assumption that the venue reads it halfway through the round trip. Nonces follow
 * it, so wrong answers must not move it: a reading that differs from the last one is believed only when
 * a second one, queried at once, agrees. A reading far from the last one, or a first one far from our own clock, needs two others that agree.
 */
export class VenueClock {
  readonly #options: VenueClockOptions;
  #known: { readonly time: VenueTime; readonly readUs: number } | undefined;

  constructor(options: VenueClockOptions) {
    this.#options = options;
  }

  /** The venue's time by the last reading; before the first reading, our own time. Sends no request. */
  estimateMs(): number {
    return this.#options.clock.nowMs() + (this.#known?.time.offsetMs ?? 0);
  }

  /**
   * Queries the venue. Rejects as `fetchTime` does, and with TransportError `VENUE_TIME_IN_DOUBT` when too few answers agree; the last
   * reading then stays.
   */
  async read(options: ReadTimeOptions = {}): Promise<TimeReading> {
    const first = await this.#query(options);
    if (this.#isExpected(first)) return this.#believe(first);
    const readings = [first];
    for (let query = 1; query <= MORE_QUERIES; query += 1) {
      await options.waitForToken?.();
      const next = await this.#query(options);
      const agreeing = readings.filter((before) => doAgree(before, next)).length;
      if (agreeing >= (this.#isFar(next) ? 2 : 1) || this.#isExpected(next)) {
        const wrong = readings.find((before) => !doAgree(before, next));
        return {
          ...this.#believe(next),
          ...(wrong === undefined ? {} : { doubt: doubtOf(wrong) }),
        };
      }
      readings.push(next);
    }
    throw new TransportError(
      "unknown",
      "VENUE_TIME_IN_DOUBT",
      `Too few answers of the venue's clock agree: they differ from ours by ${readings.map(({ offsetMs }) => offsetMs).join(", ")} ms.`,
    );
  }

  /** The offset of the last reading; takes a new one when that is missing or older than a minute. */
  async offsetMs(options: ReadTimeOptions = {}): Promise<number> {
    const { clock } = this.#options;
    const known = this.#known;
    if (known !== undefined && clock.monotonicUs() - known.readUs < MAX_AGE_MS * 1000) {
      return known.time.offsetMs;
    }
    return (await this.read(options)).offsetMs;
  }

  /** The venue's time now, whole milliseconds; takes a new reading when `offsetMs` would. */
  async nowMs(options: ReadTimeOptions = {}): Promise<number> {
    const offsetMs = await this.offsetMs(options);
    return Math.floor(this.#options.clock.nowMs() + offsetMs);
  }

  async #query(options: ReadTimeOptions): Promise<VenueTime> {
    const { clock } = this.#options;
    const sentMs = clock.nowMs();
    const sentUs = clock.monotonicUs();
    const { serverTime } = await this.#options.fetchTime(options);
    const roundTripMs = (clock.monotonicUs() - sentUs) / 1000;
    const offsetMs = Math.round(serverTime - (sentMs + roundTripMs / 2));
    return { serverTimeMs: serverTime, offsetMs, roundTripMs };
  }

  #isExpected(reading: VenueTime): boolean {
    return this.#known === undefined ? !this.#isFar(reading) : doAgree(this.#known.time, reading);
  }

  #isFar({ offsetMs, roundTripMs }: VenueTime): boolean {
    const knownMs = this.#known?.time.offsetMs ?? 0;
    return Math.abs(offsetMs - knownMs) > FAR_MS + roundTripMs / 2;
  }

  #believe(reading: VenueTime): VenueTime {
    this.#known = { time: reading, readUs: this.#options.clock.monotonicUs() };
    return reading;
  }
}

function doAgree(left: VenueTime, right: VenueTime): boolean {
  const doubtMs = (left.roundTripMs + right.roundTripMs) / 2;
  return Math.abs(left.offsetMs - right.offsetMs) <= AGREE_MS + doubtMs;
}

function doubtOf({ offsetMs }: VenueTime): string {
  return `the venue's clock differed from ours by ${offsetMs} ms in one answer and not in the next, so that answer was dropped`;
}

/** The clock of the client's venue. */
export function clientClock(client: VenueClient, clock: Clock): VenueClock {
  return new VenueClock({ clock, fetchTime: (options) => client.call(time, {}, options) });
}
