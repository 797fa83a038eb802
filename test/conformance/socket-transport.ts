import { WebSocket, type RawData } from "ws";
import { createServerFactory } from "../../src/platform/server.ts";
import { FrameLog } from "./frame-log.ts";
import type { Transport } from "./open-client.ts";

/** The venue over real HTTP and WebSocket on loopback, with clients that share no code with ours. */
export function socketTransport(): Transport {
  return {
    server: createServerFactory(),
    request: async (venue, method, target, body) => {
      const response = await fetch(`${venue.rest}${target}`, {
        method,
        ...(body === "" ? {} : { body }),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
    },
    connect: (venue) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(venue.ws, { autoPong: false });
        socket.once("open", () => resolve(stream));
        socket.once("error", reject);
        const stream = new SocketStream(socket);
      }),
  };
}

class SocketStream extends FrameLog {
  readonly #socket: WebSocket;
  protected pingCount = 0;
  protected endCode: number | undefined = undefined;

  constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
    socket.on("message", (data) => this.received(textOf(data)));
    socket.on("ping", () => {
      this.pingCount += 1;
    });
    socket.on("close", (code) => {
      this.endCode = code;
      this.changed();
    });
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  pong(): void {
    this.#socket.pong();
  }

  isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return Buffer.from(data as Buffer).toString();
}
