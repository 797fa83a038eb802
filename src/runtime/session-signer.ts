import type { Address } from "../domain/ids.ts";
import { baseAddress } from "../gateway/request.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import { venueClockOf } from "../sdk/nonce-source.ts";
import { openSession, type SessionKeys } from "../session/open-session.ts";
import { sessionVenue } from "../session/session-maker.ts";
import type { LivePorts, LiveSettings, SessionKeeping } from "./live-settings.ts";
import { pacedHttp, pacedVenueNowMs } from "./paced-http.ts";
import type { RequestPace } from "./request-pace.ts";

/** How a bot opens its session wallet and keeps it. */
export interface SessionSigning
  extends Pick<SessionKeeping, "l1ChainId" | "stopBeforeMs" | "renew" | "timing"> {
  readonly owner: Address;
  readonly keys: SessionKeys;
}

/** Opens the session wallet that a live bot signs with. Rejects as `openSession` does. */
export async function sessionSigner(
  venue: Pick<LiveSettings["venue"], "rest" | "chainId">,
  { owner, keys, ...keeping }: SessionSigning,
  ports: {
    readonly http: Http;
    readonly clock: Clock;
    readonly timer: Timer;
    readonly crypto: Crypto;
    readonly log: Log;
    readonly pace: RequestPace;
  },
): Promise<Pick<LivePorts, "signer" | "session">> {
  const { http, clock, log, pace } = ports;
  const { l1ChainId, stopBeforeMs, renew } = keeping;
  const { waitForToken } = pace;
  const place = { http, rest: baseAddress(venue.rest) };
  const { signer, expirySec, offsetMs } = await openSession({
    venue: sessionVenue({ ...venue, l1ChainId }, owner, {
      ...ports,
      http: pacedHttp(http, waitForToken),
      venueNowMs: pacedVenueNowMs(venueClockOf(place, clock), clock, waitForToken),
    }),
    keys,
    stopBeforeMs,
    renew,
    log,
  });
  return { signer, session: { ...keeping, expirySec, offsetMs } };
}
