import { NONCE_SPREAD_MAX_MS, NonceAllocator } from "../execution/nonce.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import { VenueClock } from "../gateway/venue-clock.ts";
import type { Clock } from "../ports/clock.ts";
import { time } from "../spec/endpoints/time.ts";
import { throwIfAborted } from "./abort.ts";
import { callVenue, type VenueConnection } from "./call.ts";

export { NONCE_AHEAD_MAX_MS } from "../execution/nonce.ts";

export interface NonceSourceOptions {
  readonly venue: VenueConnection;
  readonly clock: Clock;
  /** How far the nonces are ahead of the venue's clock. Default: random, up to 10 s, since another process may sign with the same key. */
  readonly spreadMs?: number;
  /** A clock to share with other sources; default: a new one. */
  readonly venueClock?: VenueClock;
}

/**
 * Time nonces of one signer (§4.4, D6): near the venue's time in milliseconds, and rising unless the venue's clock is set back. Use one
 * source for everything that a key signs in this process. Another process with the same key may use the same nonce; the venue then refuses
 * it (`nonceUsed`).
 */
export class NonceSource {
  readonly #clock: Clock;
  readonly #venueClock: VenueClock;
  readonly #allocator: NonceAllocator;

  constructor(options: NonceSourceOptions) {
    const { venue, clock, spreadMs = randomSpreadMs() } = options;
    this.#clock = clock;
    this.#allocator = new NonceAllocator({ spreadMs });
    this.#venueClock = options.venueClock ?? venueClockOf(venue, clock);
  }

  /** Our estimate of the venue's time now. */
  async venueNowMs(options: CallOptions = {}): Promise<number> {
    throwIfAborted(options.signal);
    return this.#venueClock.nowMs(options);
  }

  /** The next nonce. */
  async next(options: CallOptions = {}): Promise<number> {
    throwIfAborted(options.signal);
    const offsetMs = await this.#venueClock.offsetMs(options);
    return this.#allocator.next(this.#clock.nowMs(), offsetMs);
  }
}

function randomSpreadMs(): number {
  const [random = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
  return random % NONCE_SPREAD_MAX_MS;
}

/** The clock of a venue, read with `callVenue`. */
export function venueClockOf(venue: VenueConnection, clock: Clock): VenueClock {
  return new VenueClock({ clock, fetchTime: (options) => callVenue(venue, time, {}, options) });
}
