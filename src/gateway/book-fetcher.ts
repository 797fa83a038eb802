import { errorText } from "../base/error-text.ts";
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
  /** Takes the book; calls `want` when the book is older than the buffered events. */
  fetched(marketId: MarketId, book: WireOrderBook): void;
  /** The request failed; returns true for another attempt. */
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
 * Fetches whole books until each joins its stream of events (§6.3). Each market has one request at a time, with a pause after
 * it that grows while requests fail or books are too old. A book that joins also settles calls of `want` made during its request.
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

  /** Aborts the market's request after its stream was lost: that book could hide a gap in the events. */
  abort(marketId: MarketId): void {
    const fetching = this.#markets.get(marketId);
    if (fetching === undefined) return;
    fetching.isWanted = false;
    fetching.request?.abort();
    fetching.request = undefined;
  }

  /** Aborts all requests; no callback follows. */
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
    fetching.isWanted = false;
    // The request stays in progress meanwhile, so that calls of `want` wait for the pause.
    if (book !== undefined) this.#options.fetched(marketId, book);
    else if (this.#options.failed(marketId, failure)) fetching.isWanted = true;
    if (request.signal.aborted) return;
    fetching.request = undefined;
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

/** A fetcher that logs and repeats every failed request. Its books have as many levels as the venue allows. */
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
      const reason = errorText(error);
      log.warn({ marketId, reason }, "the book could not be fetched; trying again");
      return true;
    },
  });
}
