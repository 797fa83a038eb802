import { systemClock } from "../platform/clock.ts";
import { bootId } from "../platform/boot-id.ts";
import { createHttp } from "../platform/http.ts";
import { secureBytes } from "../platform/random.ts";
import { createSocketConnector } from "../platform/socket.ts";
import { createStore } from "../platform/store.ts";
import { systemTimer } from "../platform/timer.ts";

/** This machine's ports for a bot, together with `given`. The caller closes `http` when the bot has ended. */
export function nodePorts<Given>(given: Given) {
  return {
    ...given,
    clock: systemClock,
    timer: systemTimer,
    http: createHttp(),
    connector: createSocketConnector(),
    store: createStore(),
    randomBytes: secureBytes,
    bootId: bootId(),
  };
}
