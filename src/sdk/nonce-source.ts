import { NonceAllocator } from "../execution/nonce.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import { time } from "../spec/endpoints/time.ts";
import { abortable, throwIfAborted } from "./abort.ts";
import { callVenue, type VenueConnection } from "./call.ts";

/** The venue's clock is asked again after so long. */
const OFFSET_MS = 60_000;

/**
 * Time nonces of one signer (§4.4, D6): the venue's time, strictly rising. One source for everything that one key signs in this
 * process; another process with the same key may take a nonce too, which the venue then refuses with 409.
 */
export class NonceSource {
  readonly #venue: VenueConnection;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #allocator = new NonceAllocator();
  #offset: { readonly ms: number; readonly queriedUs: number } | undefined;

  constructor(options: {
    readonly venue: VenueConnection;
    readonly clock: Clock;
    readonly timer: Timer;
  }) {
    this.#venue = options.venue;
    this.#clock = options.clock;
    this.#timer = options.timer;
  }

  /** The venue's time now, as well as we know it. */
  async venueNowMs(options: CallOptions = {}): Promise<number> {
    throwIfAborted(options.signal);
    return Math.floor(this.#clock.nowMs() + (await this.#offsetMs(options)));
  }

  /** A nonce that was never given before; waits when they run ahead of the venue's clock. */
  async next(options: CallOptions = {}): Promise<number> {
    for (;;) {
      throwIfAborted(options.signal);
      const offsetMs = await this.#offsetMs(options);
      const nowMs = this.#clock.nowMs();
      const nonce = this.#allocator.tryNext(nowMs, offsetMs);
      if (nonce !== undefined) return nonce;
      const waitMs = this.#allocator.nextFreeMs(nowMs, offsetMs) - nowMs;
      const waited = new Promise<void>((resolve) => {
        this.#timer.after(Math.max(1, Math.min(waitMs, 250)), resolve);
      });
      await abortable(waited, options.signal);
    }
  }

  async #offsetMs(options: CallOptions): Promise<number> {
    const known = this.#offset;
    const queriedUs = this.#clock.monotonicUs();
    if (known !== undefined && queriedUs - known.queriedUs < OFFSET_MS * 1000) return known.ms;
    const queriedMs = this.#clock.nowMs();
    const { serverTime } = await callVenue(this.#venue, time, {}, options);
    const roundTripMs = (this.#clock.monotonicUs() - queriedUs) / 1000;
    const ms = Math.round(serverTime - (queriedMs + roundTripMs / 2));
    this.#offset = { ms, queriedUs };
    return ms;
  }
}
