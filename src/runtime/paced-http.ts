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
