import type { MarketId } from "../domain/ids.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { depth, type WireOrderBook } from "../spec/endpoints/depth.ts";
import { listLimits } from "../spec/limits.ts";
import { Backoff } from "./backoff.ts";
import { defaultStreamTiming, type StreamTiming } from "./stream-timing.ts";
import type { VenueClient } from "./venue-client.ts";
import { retryAfterOfError } from "./venue-error.ts";

export interface BookFetcherOptions {
  /** Requests the whole book of one market (§4.3). */
  fetch(marketId: MarketId, signal: AbortSignal): Promise<WireOrderBook>;
  readonly timer: Timer;
  /** The first wait follows every request; it doubles while requests fail or books are too old. */
  readonly timing: Pick<StreamTiming, "backoffMs" | "backoffMaxMs">;
  /** Takes the book; calls `want` when it is too old for the events that came. */
  fetched(marketId: MarketId, book: WireOrderBook): void;
  /** The request failed; true for another attempt. */
  failed(marketId: MarketId, error: unknown): boolean;
}

interface Fetching {
  readonly backoff: Backoff;
  request: AbortController | undefined;
  pause: TimerHandle | undefined;
  /** A book is wanted once the request or the pause is over. */
  isWanted: boolean;
}

/**
 * Fetches whole books until each joins its stream of events (§6.3): one request a market at a time, with a pause after each that
 * grows while they fail or come too early. A book that joined also serves calls of `want` that came while it was on its way.
 */
export class BookFetcher {
  readonly #options: BookFetcherOptions;
  readonly #markets = new Map<MarketId, Fetching>();
  #isClosed = false;

  constructor(options: BookFetcherOptions) {
    this.#options = options;
  }

  /** Fetches the market's book, now or after the request or pause in progress. */
  want(marketId: MarketId): void {
    if (this.#isClosed) return;
    const fetching = this.#of(marketId);
    fetching.isWanted = true;
    if (fetching.request === undefined && fetching.pause === undefined) {
      void this.#fetch(marketId, fetching);
    }
  }

  /** The stream is lost: a request on its way is given up, since its book would hide what the stream misses from now on. */
  giveUp(marketId: MarketId): void {
    const fetching = this.#markets.get(marketId);
    if (fetching === undefined) return;
    fetching.isWanted = false;
    fetching.request?.abort();
    fetching.request = undefined;
  }

  /** Ends all requests; nothing is called any more. */
  close(): void {
    this.#isClosed = true;
    for (const { request, pause } of this.#markets.values()) {
      request?.abort();
      pause?.cancel();
    }
    this.#markets.clear();
  }

  #of(marketId: MarketId): Fetching {
    const known = this.#markets.get(marketId);
    if (known !== undefined) return known;
    const backoff = new Backoff(this.#options.timing);
    const fetching = { backoff, request: undefined, pause: undefined, isWanted: false };
    this.#markets.set(marketId, fetching);
    return fetching;
  }

  async #fetch(marketId: MarketId, fetching: Fetching): Promise<void> {
    const request = new AbortController();
    fetching.request = request;
    fetching.isWanted = false;
    let book: WireOrderBook | undefined;
    let failure: unknown;
    try {
      book = await this.#options.fetch(marketId, request.signal);
    } catch (error) {
      failure = error;
    }
    if (request.signal.aborted) return;
    fetching.request = undefined;
    fetching.isWanted = false;
    if (book !== undefined) this.#options.fetched(marketId, book);
    else if (this.#options.failed(marketId, failure)) fetching.isWanted = true;
    if (this.#isClosed) return;
    if (!fetching.isWanted) fetching.backoff.succeeded();
    this.#pause(marketId, fetching, retryAfterOfError(failure) ?? 0);
  }

  #pause(marketId: MarketId, fetching: Fetching, leastMs: number): void {
    const { timer, timing } = this.#options;
    const waitMs = fetching.isWanted ? fetching.backoff.failed() : timing.backoffMs;
    fetching.pause = timer.after(Math.max(waitMs, leastMs), () => {
      fetching.pause = undefined;
      if (fetching.isWanted) void this.#fetch(marketId, fetching);
    });
  }
}

/** A fetcher that never gives up: failed requests are logged and repeated. Whole books, as long as the venue gives them. */
export function persistentBookFetcher(options: {
  readonly client: VenueClient;
  readonly timer: Timer;
  readonly log: Log;
  fetched: BookFetcherOptions["fetched"];
}): BookFetcher {
  const { client, timer, log, fetched } = options;
  const { max: limit } = listLimits.depth;
  return new BookFetcher({
    fetch: (marketId, signal) => client.call(depth, { marketId, limit }, { signal }),
    timer,
    timing: defaultStreamTiming,
    fetched,
    failed(marketId, error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ marketId, reason }, "the book did not come and is requested again");
      return true;
    },
  });
}
