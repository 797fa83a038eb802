import { NonceAllocator } from "../execution/nonce.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import { VenueClock } from "../gateway/venue-clock.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import { time } from "../spec/endpoints/time.ts";
import { abortable, throwIfAborted } from "./abort.ts";
import { callVenue, type VenueConnection } from "./call.ts";

export { NONCE_AHEAD_MAX_MS } from "../execution/nonce.ts";

export interface NonceSourceOptions {
  readonly venue: VenueConnection;
  readonly clock: Clock;
  readonly timer: Timer;
  /** A clock to share with other sources; default: a new one. */
  readonly venueClock?: VenueClock;
}

/**
 * Time nonces of one signer (§4.4, D6): the venue's time in milliseconds, none twice, and rising unless the venue's clock
 * is set back. Use one source for everything that a key
 * signs in this process. Another process with the same key may use the same nonce; the venue then refuses it (`nonceUsed`).
 */
export class NonceSource {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #venueClock: VenueClock;
  readonly #allocator = new NonceAllocator();

  constructor(options: NonceSourceOptions) {
    const { venue, clock, timer } = options;
    this.#clock = clock;
    this.#timer = timer;
    this.#venueClock = options.venueClock ?? venueClockOf(venue, clock);
  }

  /** Our estimate of the venue's time now. */
  async venueNowMs(options: CallOptions = {}): Promise<number> {
    throwIfAborted(options.signal);
    return this.#venueClock.nowMs(options);
  }

  /** The next unused nonce. Waits while the nonces are too far ahead of the venue's clock. */
  async next(options: CallOptions = {}): Promise<number> {
    for (;;) {
      throwIfAborted(options.signal);
      const offsetMs = await this.#venueClock.offsetMs(options);
      const nowMs = this.#clock.nowMs();
      const nonce = this.#allocator.tryNext(nowMs, offsetMs, "unused");
      if (nonce !== undefined) return nonce;
      const waitMs = this.#allocator.nextFreeMs(nowMs, offsetMs, "unused") - nowMs;
      const waited = new Promise<void>((resolve) => {
        this.#timer.after(Math.max(1, Math.min(waitMs, 250)), resolve);
      });
      await abortable(waited, options.signal);
    }
  }
}

/** The clock of a venue, read with `callVenue`. */
export function venueClockOf(venue: VenueConnection, clock: Clock): VenueClock {
  return new VenueClock({ clock, fetchTime: (options) => callVenue(venue, time, {}, options) });
}
