import { backgroundFiles } from "../platform/background-files.ts";
import { systemClock } from "../platform/clock.ts";
import { bootId } from "../platform/boot-id.ts";
import { nodeCompression } from "../platform/compression.ts";
import { createHttp } from "../platform/http.ts";
import { secureBytes } from "../platform/random.ts";
import { createSocketConnector } from "../platform/socket.ts";
import { createStore } from "../platform/store.ts";
import { systemTimer } from "../platform/timer.ts";

/** More than the open requests of a bot: as many as are allowed at the same time, and a cancel for each order while the venue hangs. */
const BOT_CONNECTIONS = 1_024;

/** This machine's ports for a bot, together with `given`. The caller closes `http` when the bot has ended. */
export function nodePorts<Given>(given: Given) {
  const store = createStore();
  return {
    ...given,
    clock: systemClock,
    timer: systemTimer,
    http: createHttp({ connectionsPerOrigin: BOT_CONNECTIONS }),
    connector: createSocketConnector(),
    store,
    recordings: { store, compression: nodeCompression },
    segments: { files: backgroundFiles, compress: nodeCompression.compressInBackground },
    randomBytes: secureBytes,
    bootId: bootId(),
  };
}
