import { systemClock } from "../platform/clock.ts";
import { loadEthersCrypto } from "../platform/crypto-ethers.ts";
import { fetchHttp } from "../platform/fetch-http.ts";
import { provenCrypto } from "../platform/proven-crypto.ts";
import { secureBytes } from "../platform/random.ts";
import { webSocketConnector } from "../platform/web-socket.ts";
import { webTimer } from "../platform/web-timer.ts";
import type { VenueClientPorts } from "./connect-venue.ts";

/**
 * The ports of `connectVenueOn` outside Node: `fetch`, `WebSocket` and `crypto` of the page or worker, with ethers for signatures.
 */
export async function webClientPorts(): Promise<VenueClientPorts> {
  return {
    http: fetchHttp(),
    connector: webSocketConnector(),
    clock: systemClock,
    timer: webTimer,
    crypto: provenCrypto(await loadEthersCrypto()),
    randomBytes: secureBytes,
  };
}
