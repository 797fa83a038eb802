import type { WebSocket } from "ws";
import type { ServerOptions, ServerSocket } from "../ports/server.ts";

/** How fast a client is read. */
export interface FrameRate {
  /** Frames, pings and pongs that a client may send at once. */
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Bytes waiting for a client; while there are more, nothing further is read from it, and one that sends pings is cut. */
const UNREAD_MAX = 1024 * 1024;
const LOOK_AGAIN_MS = 100;

/**
 * Gives a WebSocket to the venue. A client that sends faster than `rate`, or asks without reading the answers, is read slower, which
 * costs it time and nobody else any; nothing that it sent is lost.
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
  const mayGoOn = (): boolean => {
    if (left < 1) refill();
    return left >= 1 && client.bufferedAmount <= UNREAD_MAX;
  };
  const wait = (): void => {
    resuming = setTimeout(
      () => {
        resuming = undefined;
        // What had been read before the pause has been counted meanwhile.
        if (!mayGoOn()) wait();
        else if (!isFrozen) client.resume();
      },
      Math.max(LOOK_AGAIN_MS, ((1 - left) / rate.perSecond) * 1000),
    );
  };
  const count = (): void => {
    left -= 1;
    if (resuming !== undefined || mayGoOn()) return;
    client.pause();
    wait();
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
    // What arrived before the end comes out of the buffer after it; nobody waits for the answer.
    if (client.readyState !== client.OPEN) return;
    count();
    if (data instanceof Buffer) handlers.frame(data, isBinary);
  });
  // ws answers pings by itself, whether anybody reads the answers or not.
  client.on("ping", () => {
    count();
    if (client.bufferedAmount > UNREAD_MAX) client.terminate();
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
