import type { Http } from "../ports/http.ts";

/** HTTP for other requests on a running bot's behalf: each waits for a token of the bot's rate budget. */
export function pacedHttp(http: Http, waitForToken: () => Promise<void>): Http {
  return {
    async request(request) {
      await waitForToken();
      return http.request(request);
    },
    close: () => http.close(),
  };
}
