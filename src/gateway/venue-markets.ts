import type { Market } from "../domain/market.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { endpoints } from "../spec/endpoints.ts";
import { PAPER_VENUE } from "../spec/paper-venue.ts";
import { marketFrom } from "./from-wire.ts";
import { retryWhileUnreachable } from "./retry-while-unreachable.ts";
import type { VenueClient } from "./venue-client.ts";

export interface VenueMarkets {
  readonly markets: readonly Market[];
  /** Touchline's own paper venue, whose modifies are known to work as documented (D23). */
  readonly isPaperVenue: boolean;
}

interface MarketsOptions {
  readonly timer: Timer;
  readonly log: Log;
  /** Awaited before each request. Left out: requests leave at once. */
  waitForToken?: (() => Promise<void>) | undefined;
}

/** All markets of a venue; repeats the request for a few seconds while the venue cannot be reached. */
export async function fetchVenueMarkets(
  client: VenueClient,
  { timer, log, waitForToken }: MarketsOptions,
): Promise<VenueMarkets> {
  const wire = await retryWhileUnreachable(timer, log, async () => {
    await waitForToken?.();
    return client.call(endpoints.market, {});
  });
  return {
    markets: wire.map(marketFrom),
    isPaperVenue: wire.every(({ exchange }) => exchange === PAPER_VENUE),
  };
}
