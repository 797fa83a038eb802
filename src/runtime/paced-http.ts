import type { Http } from "../ports/http.ts";

/** HTTP for whoever speaks to the venue on a running bot's behalf: each request waits for its turn in the bot's rate budget. */
export function pacedHttp(http: Http, waitForToken: () => Promise<void>): Http {
  return {
    async request(request) {
      await waitForToken();
      return http.request(request);
    },
    close: () => http.close(),
  };
}
