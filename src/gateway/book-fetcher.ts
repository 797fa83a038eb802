import type { MarketId } from "../domain/ids.ts";
import type { VenueClient } from "./venue-client.ts";
import type { Timer, TimerHandle } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireOrderBook } from "../spec/endpoints/depth.ts";
import { listLimits } from "../spec/limits.ts";

/** From one answer to the next question for the same market; doubles while the venue does not answer. */
const PAUSE_MS = 250;
const PAUSE_MAX_MS = 10_000;

interface Asked {
  readonly wait: TimerHandle | undefined;
  /** A book was wanted while the request could not be sent. */
  isWanted: boolean;
}

export interface BookFetcherOptions {
  readonly client: VenueClient;
  readonly timer: Timer;
  readonly log: Log;
  responded(marketId: MarketId, book: WireOrderBook): void;
}

/** Asks a venue for whole books (§4.3) until it answers, one question a market at a time. */
export class BookFetcher {
  readonly #options: BookFetcherOptions;
  readonly #aborts = new AbortController();
  /** Markets with a question on its way, or in the pause after one. */
  readonly #open = new Map<MarketId, Asked>();

  constructor(options: BookFetcherOptions) {
    this.#options = options;
  }

  fetch(marketId: MarketId): void {
    const open = this.#open.get(marketId);
    if (open === undefined) void this.#send(marketId, 0);
    else open.isWanted = true;
  }

  stop(): void {
    this.#aborts.abort();
    for (const { wait } of this.#open.values()) wait?.cancel();
  }

  async #send(marketId: MarketId, failures: number): Promise<void> {
    const { client, log, responded } = this.#options;
    const { signal } = this.#aborts;
    this.#open.set(marketId, { wait: undefined, isWanted: false });
    let book: WireOrderBook | undefined;
    try {
      const query = { marketId, limit: listLimits.depth.max };
      book = await client.call(endpoints.depth, query, { signal });
    } catch (thrown) {
      if (signal.aborted) return;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      log.warn({ marketId, reason }, "the book did not come and is asked for again");
    }
    if (signal.aborted) return;
    // Only what is wanted from here on asks again.
    this.#pause(marketId, book === undefined ? failures + 1 : 0);
    if (book !== undefined) responded(marketId, book);
  }

  #pause(marketId: MarketId, failures: number): void {
    const pauseMs = Math.min(PAUSE_MS * 2 ** Math.max(0, failures - 1), PAUSE_MAX_MS);
    const wait = this.#options.timer.after(pauseMs, () => {
      const isWanted = this.#open.get(marketId)?.isWanted === true || failures > 0;
      this.#open.delete(marketId);
      if (isWanted) void this.#send(marketId, failures);
    });
    this.#open.set(marketId, { wait, isWanted: false });
  }
}
