import { Socket } from "node:net";
import type { StandInHttp } from "../ports/http.ts";
import { createHttp } from "./http.ts";

/** The body of every response: a command was accepted, with the hash of none. */
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
  /** Requests that were written whole. */
  #requests = 0;

  // One that is not open would add a listener each time.
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

  /** Head and body are chunks of their own, the head a text. */
  #wrote(chunk: unknown): void {
    if (chunk instanceof Uint8Array && chunk.at(-1) === CLOSING_BRACE) this.#requests += 1;
  }

  respond(): void {
    if (this.#requests === 0) return;
    for (; this.#requests > 0; this.#requests -= 1) this.push(RESPONSE);
    // At once instead of in the next tick, so that reading it belongs to this piece of the rehearsal.
    this.emit("readable");
  }
}
