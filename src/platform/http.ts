import { Socket } from "node:net";
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { TransportError } from "../base/error.ts";
import type { Http, HttpRequest, HttpResponse } from "../ports/http.ts";
import { INFORMATIONAL_MAX, limitReads } from "./limit-reads.ts";
import { type Proxies, proxiesFor } from "./proxy.ts";

export interface HttpOptions {
  /** Connections kept open to one origin; further requests wait for a free one. */
  readonly connectionsPerOrigin?: number;
  /** Limit of requests without `maxBytes`. Default 16 MiB. */
  readonly maxResponseBytes?: number;
}

/** How long a connection may take to open. */
const CONNECT_MS = 5_000;
/** Chunks of a body that are kept apart: joining all at the end could take long, if the server made them tiny. */
const CHUNKS_MAX = 1_000;
/** With the framing of its chunks a response may have this many times the bytes of the longest body, and a head besides. */
const WIRE_FACTOR = 2;
const HEAD_BYTES = 65_536;
/** Highest number of origins a client talks to: the venue and little else. */
const MAX_ORIGINS = 64;

/** HTTP through undici: one pool for each origin, and one deadline over the whole request. Takes the proxy that the environment names. */
export function createHttp(options: HttpOptions = {}): Http {
  const maxResponseBytes = options.maxResponseBytes ?? 16 * 1024 * 1024;
  const pools = new Map<string, Dispatcher>();
  let isClosed = false;

  const poolOf = ({ origin, hostname }: URL): Dispatcher => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    if (pools.size >= MAX_ORIGINS) {
      throw new TransportError(
        "not-sent",
        "HTTP_TOO_MANY_ORIGINS",
        `Requests went to more than ${MAX_ORIGINS} hosts.`,
      );
    }
    const settings: Pool.Options = {
      connections: options.connectionsPerOrigin ?? 32,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connect: slowlyRead(
        { timeout: CONNECT_MS, noDelay: true },
        HEAD_BYTES + WIRE_FACTOR * maxResponseBytes,
      ),
      // Covered by our own deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const proxies = proxiesFor(hostname);
    const pool = proxies === undefined ? new Pool(origin, settings) : proxied(settings, proxies);
    pools.set(origin, pool);
    return pool;
  };

  return {
    request(request) {
      return new Promise((resolve, reject) => {
        if (isClosed) {
          reject(new TransportError("not-sent", "HTTP_CLOSED", "The HTTP client is closed."));
          return;
        }
        const url = URL.parse(request.url);
        if (url === null) {
          const message = `"${request.url}" is not an address.`;
          reject(new TransportError("not-sent", "HTTP_BAD_URL", message));
          return;
        }
        const maxBytes = request.maxBytes ?? maxResponseBytes;
        try {
          const exchange = new Exchange(request, maxBytes, resolve, reject);
          exchange.start(poolOf(url), url);
        } catch (cause) {
          if (cause instanceof TransportError) return reject(cause);
          const message = `The request to ${url.host} cannot be made.`;
          reject(new TransportError("not-sent", "HTTP_BAD_REQUEST", message, { cause }));
        }
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Connections through a proxy, or not for a host that `no_proxy` names. What a proxy sends is not limited as `limitReads` does it. */
function proxied(
  settings: Pool.Options,
  { http_proxy: httpProxy, https_proxy: httpsProxy, no_proxy: noProxy }: Proxies,
): Dispatcher {
  return new EnvHttpProxyAgent({
    ...settings,
    httpProxy: httpProxy ?? "",
    httpsProxy: httpsProxy ?? "",
    noProxy,
    connectTimeout: CONNECT_MS,
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, headersTimeout: CONNECT_MS }),
  });
}

/** Connections whose responses are read within the limits of `limitReads`. */
function slowlyRead(
  options: buildConnector.BuildOptions,
  mostBytes: number,
): buildConnector.connector {
  const connect = buildConnector(options);
  return (to, connected) => {
    connect(to, (...result) => {
      const [, socket] = result;
      if (socket instanceof Socket) limitReads(socket, mostBytes);
      connected(...result);
    });
  };
}

/**
 * One request and its response. undici calls `onRequestStart` when it starts to write, which separates `not-sent` from
 * `unknown`: a request given up earlier is aborted there, so its bytes never leave.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #maxBytes: number;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: TransportError) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #timeout: NodeJS.Timeout | undefined;
  #isOver = false;
  #status = 0;
  #informational = 0;
  #headers: Record<string, string> = {};
  readonly #chunks: Buffer[] = [];
  /** Number of elements of `#chunks` that are many chunks in one. */
  #joined = 0;
  #size = 0;

  constructor(
    request: HttpRequest,
    maxBytes: number,
    resolve: (response: HttpResponse) => void,
    reject: (error: TransportError) => void,
  ) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(pool: Dispatcher, { origin, pathname, search }: URL): void {
    const { method, headers, body, timeoutMs, signal } = this.#request;
    if (signal?.aborted === true) {
      this.#fail("HTTP_ABORTED", "was aborted");
      return;
    }
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#timeout = setTimeout(
      () => this.#giveUp("HTTP_TIMEOUT", `got no response within ${timeoutMs} ms`),
      timeoutMs,
    );
    try {
      const path = pathname + search;
      pool.dispatch({ origin, method, path, headers: headers ?? null, body: body ?? null }, this);
    } catch (thrown) {
      this.#fail("HTTP_BAD_REQUEST", "cannot be made", thrown);
    }
  }

  readonly #onAbort = (): void => this.#giveUp("HTTP_ABORTED", "was aborted");

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) {
      controller.abort(new Error("aborted before it was written"));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > INFORMATIONAL_MAX) {
        this.#giveUp("HTTP_FAILED", "failed: it got nothing but informational responses");
      }
      return;
    }
    this.#status = status;
    for (const name in headers) {
      const value = headers[name];
      if (value !== undefined) {
        this.#headers[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
      }
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) {
      this.#giveUp("HTTP_TOO_LONG", `responded with more than ${this.#maxBytes} bytes`);
      return;
    }
    this.#chunks.push(chunk);
    if (this.#chunks.length - this.#joined < CHUNKS_MAX) return;
    const tail = this.#chunks.splice(this.#joined);
    this.#joined = this.#chunks.push(Buffer.concat(tail));
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#end();
    const [first] = this.#chunks;
    const body =
      this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(
      "HTTP_FAILED",
      `failed: ${error.message === "" ? error.name : error.message}`,
      error,
    );
  }

  #giveUp(code: string, what: string): void {
    const controller = this.#controller;
    this.#fail(code, what);
    controller?.abort(new Error(what));
  }

  #fail(code: string, what: string, cause?: unknown): void {
    if (this.#isOver) return;
    this.#end();
    const { method, url } = this.#request;
    const { host, pathname } = new URL(url);
    const outcome = this.#controller === undefined ? "not-sent" : "unknown";
    this.#reject(
      new TransportError(outcome, code, `${method} ${host}${pathname} ${what}.`, {
        context: { method, host, path: pathname },
        ...(cause === undefined ? {} : { cause }),
      }),
    );
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timeout);
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }
}
