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

export interface VenueClockOptions {
  readonly clock: Clock;
  /** Queries the venue's time (§4.3). */
  fetchTime(options: CallOptions): Promise<ResultOf<typeof time>>;
  /** `nowMs` and `offsetMs` replace a reading older than this. Default 60 s. */
  readonly maxAgeMs?: number;
}

const MAX_AGE_MS = 60_000;

/** An estimate of the venue's clock from `/time`, on the assumption that the venue reads it halfway through the round trip. */
export class VenueClock {
  readonly #options: VenueClockOptions;
  #known: { readonly offsetMs: number; readonly readUs: number } | undefined;

  constructor(options: VenueClockOptions) {
    this.#options = options;
  }

  /** The venue's time by the last reading; before the first reading, our own time. Sends no request. */
  estimateMs(): number {
    return this.#options.clock.nowMs() + (this.#known?.offsetMs ?? 0);
  }

  /** Queries the venue. Rejects as `fetchTime` does, and then keeps the last reading. */
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

  /** The offset of the last reading; takes a new one when that is missing or older than `maxAgeMs`. */
  async offsetMs(options: CallOptions = {}): Promise<number> {
    const { clock, maxAgeMs = MAX_AGE_MS } = this.#options;
    const known = this.#known;
    if (known !== undefined && clock.monotonicUs() - known.readUs < maxAgeMs * 1000) {
      return known.offsetMs;
    }
    return (await this.read(options)).offsetMs;
  }

  /** The venue's time now, whole milliseconds; takes a new reading when `offsetMs` would. */
  async nowMs(options: CallOptions = {}): Promise<number> {
    const offsetMs = await this.offsetMs(options);
    return Math.floor(this.#options.clock.nowMs() + offsetMs);
  }
}

/** The clock of the client's venue. */
export function clientClock(client: VenueClient, clock: Clock): VenueClock {
  return new VenueClock({ clock, fetchTime: (options) => client.call(time, {}, options) });
}
