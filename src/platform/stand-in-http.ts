import { Socket } from "node:net";
import type { StandInHttp } from "../ports/http.ts";
import { createHttp } from "./http.ts";

/** The body of every response: a command was accepted, with a hash that belongs to no transaction. */
const BODY = `{"code":200,"errMsg":"","result":"0x${"0".repeat(64)}"}`;
const RESPONSE = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
);
const CLOSING_BRACE = 0x7d;

/** The client of `createHttp` on connections that lead nowhere: what it writes stays in this process. For POSTs with a JSON body. */
export function createStandInHttp(): StandInHttp {
  const connections = new Set<StandInConnection>();
  const http = createHttp({
    connect(_to, connected) {
      const connection = new StandInConnection();
      connections.add(connection);
      connection.once("close", () => connections.delete(connection));
      // A connection is never there at once.
      queueMicrotask(() => connected(null, connection));
    },
  });
  return {
    ...http,
    respond() {
      for (const connection of connections) connection.respond();
    },
  };
}

/** A socket that is never opened. */
class StandInConnection extends Socket {
  /** Written requests without a response. */
  #pending = 0;

  // While it is not open, a socket adds a listener at each call.
  override ref(): this {
    return this;
  }

  override unref(): this {
    return this;
  }

  override _read(): void {
    // What there is to read comes from `respond`.
  }

  override _write(chunk: unknown, _encoding: string, written: () => void): void {
    this.#wrote(chunk);
    written();
  }

  override _writev(chunks: readonly { readonly chunk: unknown }[], written: () => void): void {
    for (const { chunk } of chunks) this.#wrote(chunk);
    written();
  }

  /** The head is written as a text, the body as bytes. */
  #wrote(chunk: unknown): void {
    if (chunk instanceof Uint8Array && chunk.at(-1) === CLOSING_BRACE) this.#pending += 1;
  }

  respond(): void {
    if (this.#pending === 0) return;
    for (; this.#pending > 0; this.#pending -= 1) this.push(RESPONSE);
    // Read in this piece of the rehearsal instead of in the next tick.
    this.emit("readable");
  }
}
