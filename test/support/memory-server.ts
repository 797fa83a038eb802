import { TouchlineError } from "../../src/base/error.ts";
import type {
  RunningServer,
  ServerFactory,
  ServerOptions,
  ServerResponse,
  ServerSocket,
  ServerSocketHandlers,
} from "../../src/ports/server.ts";

const utf8 = new TextEncoder();

/** A server without a network: requests are calls, sockets are arrays of frames. */
export class MemoryServer implements ServerFactory {
  readonly #listening = new Map<number, ServerOptions>();
  #freePort = 40_000;

  listen(options: ServerOptions): Promise<RunningServer> {
    const port = options.port === 0 ? (this.#freePort += 1) : options.port;
    if (this.#listening.has(port)) {
      return Promise.reject(new TouchlineError("PORT_TAKEN", `Port ${port} is in use.`));
    }
    this.#listening.set(port, options);
    return Promise.resolve({
      host: options.host,
      port,
      close: () => {
        this.#listening.delete(port);
        return Promise.resolve();
      },
    });
  }

  /** The only server that listens. */
  get #only(): ServerOptions {
    const [options] = this.#listening.values();
    if (options === undefined) throw new Error("nobody listens");
    return options;
  }

  /** One request; `target` is the path with its query. */
  async request(
    method: string,
    target: string,
    body = "",
    connection = "",
  ): Promise<ServerResponse> {
    const [path = "", query = ""] = target.split("?");
    const bytes = utf8.encode(body);
    return this.#only.respond({
      connection,
      method,
      path,
      query: new URLSearchParams(query),
      headers: {},
      body: bytes.length > this.#only.maxBodyBytes ? undefined : bytes,
    });
  }

  connect(): MemorySocket {
    return new MemorySocket(this.#only);
  }
}

/** A client's socket, seen from a test. */
export class MemorySocket {
  /** Messages received, parsed, oldest first. */
  readonly frames: unknown[] = [];
  pings = 0;
  /** Half-open: the server reads nothing any more. */
  isFrozen = false;
  /** How the server ended it. */
  ended: { readonly code: number; readonly reason: string } | "terminated" | undefined;
  /** What a slow client leaves unsent. */
  bufferedBytes = 0;
  readonly #handlers: ServerSocketHandlers;

  constructor(options: ServerOptions) {
    const end = (how: NonNullable<MemorySocket["ended"]>): void => {
      if (this.ended !== undefined) return;
      this.ended = how;
      this.#handlers.closed();
    };
    const buffered = (): number => this.bufferedBytes;
    const socket: ServerSocket = {
      send: (text) => {
        if (this.ended === undefined) this.frames.push(JSON.parse(text));
      },
      ping: () => {
        this.pings += 1;
      },
      close: (code, reason) => end({ code, reason }),
      terminate: () => end("terminated"),
      freeze: () => {
        this.isFrozen = true;
      },
      get bufferedBytes() {
        return buffered();
      },
    };
    this.#handlers = options.connected(socket);
  }

  send(message: unknown): void {
    if (this.isFrozen) return;
    this.#handlers.frame(
      utf8.encode(typeof message === "string" ? message : JSON.stringify(message)),
    );
  }

  sendBinary(bytes: Uint8Array): void {
    this.#handlers.frame(bytes, true);
  }

  pong(): void {
    this.#handlers.pong();
  }

  close(): void {
    this.ended ??= { code: 1000, reason: "" };
    this.#handlers.closed();
  }

  /** Takes the received frames away. */
  drain(): unknown[] {
    return this.frames.splice(0);
  }
}
