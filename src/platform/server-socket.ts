import type { WebSocket } from "ws";
import type { ServerOptions, ServerSocket } from "../ports/server.ts";
import type { Turns } from "./turns.ts";

/** Limit on the rate at which a client's frames are read. */
export interface FrameRate {
  /** Burst: frames, pings and pongs that a client may send at once. */
  readonly atOnce: number;
  readonly perSecond: number;
}

/** While more bytes than this wait for a client, nothing is read from it, and a client that sends pings is disconnected. */
const UNREAD_MAX = 1024 * 1024;
const RETRY_MS = 100;

/** Pauses a client that sends too fast or does not read, and resumes it later. */
class ReadLimiter {
  /** Keeps the client paused. */
  isFrozen = false;
  readonly #client: WebSocket;
  readonly #rate: FrameRate;
  #left: number;
  #countedAtMs = performance.now();
  #resuming: NodeJS.Timeout | undefined;
  /** Frames that wait for a later turn. */
  #waiting = 0;

  constructor(client: WebSocket, rate: FrameRate) {
    this.#client = client;
    this.#rate = rate;
    this.#left = rate.atOnce;
  }

  /** Call for every frame, ping and pong. */
  count(): void {
    this.#left -= 1;
    if (this.#resuming !== undefined || this.#mayRead()) return;
    this.#client.pause();
    this.#retryLater();
  }

  /** Stops reading because a frame waits for a later turn of the event loop. Call `handled` once it was handled. */
  wait(): void {
    this.#waiting += 1;
    this.#client.pause();
  }

  /** Call after each frame, whether it waited or not. */
  handled(): void {
    if (this.#waiting === 0) return;
    this.#waiting -= 1;
    if (this.#resuming === undefined) this.#resume();
  }

  stop(): void {
    clearTimeout(this.#resuming);
  }

  #mayRead(): boolean {
    if (this.#left < 1) this.#refill();
    return this.#left >= 1 && this.#client.bufferedAmount <= UNREAD_MAX;
  }

  #refill(): void {
    const { atOnce, perSecond } = this.#rate;
    const nowMs = performance.now();
    this.#left = Math.min(atOnce, this.#left + ((nowMs - this.#countedAtMs) / 1000) * perSecond);
    this.#countedAtMs = nowMs;
  }

  #resume(): void {
    if (!this.isFrozen && this.#waiting === 0) this.#client.resume();
  }

  #retryLater(): void {
    const missingMs = ((1 - this.#left) / this.#rate.perSecond) * 1000;
    this.#resuming = setTimeout(
      () => {
        this.#resuming = undefined;
        // Frames read before the pause were counted meanwhile.
        if (this.#mayRead()) this.#resume();
        else this.#retryLater();
      },
      Math.max(RETRY_MS, missingMs),
    );
  }
}

/**
 * Connects a WebSocket to the venue. A client that sends faster than `rate`, or does not read its responses, is read more slowly;
 * this delays no other client, and nothing that it sent is lost.
 */
export function attach(
  options: ServerOptions,
  client: WebSocket,
  rate: FrameRate,
  turns: Turns,
): void {
  client.binaryType = "nodebuffer";
  const limiter = new ReadLimiter(client, rate);
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
      limiter.isFrozen = true;
      client.pause();
    },
    get bufferedBytes() {
      return client.bufferedAmount;
    },
  };
  const handlers = options.connected(socket);
  // "close" follows every error and is all the venue needs.
  client.on("error", () => undefined);
  client.on("message", (data, isBinary) => {
    // Messages may still come out of the buffer after the close; nobody waits for the responses.
    if (client.readyState !== client.OPEN) return;
    limiter.count();
    if (!(data instanceof Buffer)) return;
    const isDone = turns.run(() => {
      if (client.readyState === client.OPEN) handlers.frame(data, isBinary);
      limiter.handled();
    });
    if (!isDone) limiter.wait();
  });
  // ws answers pings by itself, even if the client does not read.
  client.on("ping", () => {
    limiter.count();
    if (client.bufferedAmount > UNREAD_MAX) client.terminate();
  });
  client.on("pong", () => {
    limiter.count();
    handlers.pong();
  });
  client.on("close", () => {
    limiter.stop();
    handlers.closed();
  });
}
