import { systemClock } from "../platform/clock.ts";
import { createHttp } from "../platform/http.ts";
import { secureBytes } from "../platform/random.ts";
import { createSocketConnector } from "../platform/socket.ts";
import { createStore } from "../platform/store.ts";
import { systemTimer } from "../platform/timer.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { LivePorts } from "./live.ts";

/** The ports of a bot on this machine; the caller closes `http` when the bot is done. */
export function nodePorts(options: {
  readonly log: Log;
  readonly crypto: Crypto;
  readonly signer: Signer;
}): LivePorts {
  return {
    ...options,
    clock: systemClock,
    timer: systemTimer,
    http: createHttp(),
    connector: createSocketConnector(),
    store: createStore(),
    randomBytes: secureBytes,
  };
}
