import type { VenueAdapter } from "../gateway/venue-adapter.ts";
import type { Clock } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";

/** HTTP for requests outside the bot's loop. Each one waits for a token of the bot's rate budget. */
export function pacedHttp(http: Http, waitForToken: () => Promise<void>): Http {
  return {
    async request(request) {
      await waitForToken();
      return http.request(request);
    },
    close: () => http.close(),
  };
}

/** The venue's time, Unix milliseconds, for the same requests. The wait for a token is no part of the round trip. */
export function pacedVenueNowMs(
  venueClock: VenueAdapter["clock"],
  clock: Clock,
  waitForToken: () => Promise<void>,
): () => Promise<number> {
  return async () => {
    await waitForToken();
    const { offsetMs } = await venueClock.read({ waitForToken });
    return clock.nowMs() + offsetMs;
  };
}
