import type { Clock } from "../ports/clock.ts";
import type { ResultOf } from "../spec/endpoint.ts";
import { time } from "../spec/endpoints/time.ts";
import type { CallOptions, VenueClient } from "./venue-client.ts";

/** One reading of the venue's clock. */
export interface VenueTime {
  /** As the venue said it, Unix milliseconds. */
  readonly serverTimeMs: number;
  /** The venue's clock less ours, milliseconds. */
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

export interface VenueClockOptions {
  readonly clock: Clock;
  /** Asks the venue for its time (§4.3). */
  fetchTime(options: CallOptions): Promise<ResultOf<typeof time>>;
  /** A reading older than this is taken again by `nowMs` and `offsetMs`. Default 60 s. */
  readonly maxAgeMs?: number;
}

const MAX_AGE_MS = 60_000;

/** The venue's clock as well as we know it: `/time`, read in the middle of the round trip. */
export class VenueClock {
  readonly #options: VenueClockOptions;
  #known: { readonly offsetMs: number; readonly readUs: number } | undefined;

  constructor(options: VenueClockOptions) {
    this.#options = options;
  }

  /** The venue's time by the last reading, by our own clock before the first. Asks nothing. */
  estimateMs(): number {
    return this.#options.clock.nowMs() + (this.#known?.offsetMs ?? 0);
  }

  /** Asks the venue. Rejects with what the call rejects with; the last reading then stays. */
  async read(options: CallOptions = {}): Promise<VenueTime> {
    const { clock } = this.#options;
    const sentMs = clock.nowMs();
    const sentUs = clock.monotonicUs();
    const { serverTime } = await this.#options.fetchTime(options);
    const roundTripMs = (clock.monotonicUs() - sentUs) / 1000;
    const offsetMs = Math.round(serverTime - (sentMs + roundTripMs / 2));
    this.#known = { offsetMs, readUs: sentUs };
    return { serverTimeMs: serverTime, offsetMs, roundTripMs };
  }

  /** The offset of a reading that is recent enough, taken now where there is none. */
  async offsetMs(options: CallOptions = {}): Promise<number> {
    const { clock, maxAgeMs = MAX_AGE_MS } = this.#options;
    const known = this.#known;
    if (known !== undefined && clock.monotonicUs() - known.readUs < maxAgeMs * 1000) {
      return known.offsetMs;
    }
    return (await this.read(options)).offsetMs;
  }

  /** The venue's time now, whole milliseconds; asks as `offsetMs` does. */
  async nowMs(options: CallOptions = {}): Promise<number> {
    const offsetMs = await this.offsetMs(options);
    return Math.floor(this.#options.clock.nowMs() + offsetMs);
  }
}

/** The clock of the venue that a client asks. */
export function clientClock(client: VenueClient, clock: Clock): VenueClock {
  return new VenueClock({ clock, fetchTime: (options) => client.call(time, {}, options) });
}
