import { MemoryServer, type MemorySocket } from "../support/memory-server.ts";
import { FrameLog } from "./frame-log.ts";
import type { Transport } from "./open-client.ts";

/** The venue as function calls. */
export function memoryTransport(): Transport {
  const server = new MemoryServer();
  return {
    server,
    request: async (_venue, method, target, body) => {
      const { status, headers, body: text } = await server.request(method, target, body);
      return { status, headers: headers ?? {}, text };
    },
    connect: () => Promise.resolve(new MemoryStream(server.connect())),
  };
}

class MemoryStream extends FrameLog {
  readonly #socket: MemorySocket;

  constructor(socket: MemorySocket) {
    super();
    this.#socket = socket;
  }

  send(message: unknown): void {
    this.#socket.send(message);
    this.#take();
  }

  pong(): void {
    this.#socket.pong();
  }

  isOpen(): boolean {
    return this.#socket.ended === undefined;
  }

  protected get pingCount(): number {
    return this.#socket.pings;
  }

  /** 1006 is what a client sees of a cut. */
  protected get endCode(): number | undefined {
    const { ended } = this.#socket;
    return ended === "terminated" ? 1006 : ended?.code;
  }

  #take(): void {
    for (const frame of this.#socket.drain()) this.received(JSON.stringify(frame));
  }
}
