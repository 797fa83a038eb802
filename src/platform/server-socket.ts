import type { WebSocket } from "ws";
import type { ServerOptions, ServerSocket } from "../ports/server.ts";

/** How fast a client is read. */
export interface FrameRate {
  /** Frames, pings and pongs that a client may send at once. */
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Bytes waiting for a client that sends pings; one that reads nothing is cut. */
const UNREAD_PONGS_MAX = 1024 * 1024;

/**
 * Gives a WebSocket to the venue. A client that sends faster than `rate` is read slower, which costs it time and nobody else any;
 * nothing that it sent is lost.
 */
export function attach(options: ServerOptions, client: WebSocket, rate: FrameRate): void {
  client.binaryType = "nodebuffer";
  let isFrozen = false;
  let left = rate.atOnce;
  let countedAtMs = performance.now();
  let resuming: NodeJS.Timeout | undefined;

  const refill = (): void => {
    const nowMs = performance.now();
    left = Math.min(rate.atOnce, left + ((nowMs - countedAtMs) / 1000) * rate.perSecond);
    countedAtMs = nowMs;
  };
  const waitForMore = (): void => {
    resuming = setTimeout(
      () => {
        resuming = undefined;
        refill();
        // What had been read before the pause has been counted meanwhile.
        if (left < 1) waitForMore();
        else if (!isFrozen) client.resume();
      },
      Math.ceil(((1 - left) / rate.perSecond) * 1000),
    );
  };
  const count = (): void => {
    left -= 1;
    if (left >= 1 || resuming !== undefined) return;
    refill();
    if (left >= 1) return;
    client.pause();
    waitForMore();
  };

  const socket: ServerSocket = {
    send: (text) => {
      if (client.readyState === client.OPEN) client.send(text);
    },
    ping: () => {
      if (client.readyState === client.OPEN) client.ping();
    },
    close: (code, reason) => client.close(code, reason),
    terminate: () => client.terminate(),
    freeze: () => {
      isFrozen = true;
      client.pause();
    },
    get bufferedBytes() {
      return client.bufferedAmount;
    },
  };
  const handlers = options.connected(socket);
  // "close" follows every error and is all that the venue needs to know.
  client.on("error", () => undefined);
  client.on("message", (data, isBinary) => {
    count();
    if (data instanceof Buffer) handlers.frame(data, isBinary);
  });
  // ws answers pings by itself, whether anybody reads the answers or not.
  client.on("ping", () => {
    count();
    if (client.bufferedAmount > UNREAD_PONGS_MAX) client.terminate();
  });
  client.on("pong", () => {
    count();
    handlers.pong();
  });
  client.on("close", () => {
    clearTimeout(resuming);
    handlers.closed();
  });
}
