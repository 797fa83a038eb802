import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { TokenBucket } from "../base/token-bucket.ts";
import { PageAccess, type PageRefusal } from "./page-access.ts";
import { PageState } from "./page-state.ts";

export interface PageServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder with the built page. */
  readonly webDir: string;
  /** Needed to read the page; undefined: everyone who reaches the page may read it. */
  readonly token: string | undefined;
  /** Called when the number of viewers changes. */
  viewers(count: number): void;
  /** For tests. */
  readonly readMs?: number;
}

const MAX_CONNECTIONS = 64;
const MAX_VIEWERS = 20;
/** Requests of all connections: at once, and then per second. */
const REQUESTS = { atOnce: 100, perSecond: 50 };
const MAX_HEADER_BYTES = 8_192;
/** A request, and the wait for the next one, may take this long. */
const REQUEST_MS = 5_000;
/** A client that has not read what it was sent by then is disconnected. */
const READ_MS = 10_000;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const securityHeaders = {
  "content-security-policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

interface Viewer {
  readonly response: ServerResponse;
  /** Has missed an update, so its next one is whole. */
  isBehind: boolean;
  /** When it last had read everything, by `performance.now()`. */
  readMs: number;
}

/** The page and its data over HTTP, read only. Runs on the page's own thread, so no load on it reaches the bot. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #readMs: number;
  readonly #state = new PageState();
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #viewers = new Set<Viewer>();
  readonly #server: Server;
  #access: PageAccess;
  readonly #requests = new TokenBucket(REQUESTS, performance.now());

  constructor(options: PageServerOptions) {
    this.#options = options;
    this.#readMs = options.readMs ?? READ_MS;
    this.#files = filesOf(options.webDir);
    this.#access = new PageAccess(options);
    this.#server = createServer(
      {
        headersTimeout: REQUEST_MS,
        requestTimeout: REQUEST_MS,
        keepAliveTimeout: REQUEST_MS,
        connectionsCheckingInterval: 1_000,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (request, response) => this.#serve(request, response),
    );
    // Otherwise Node answers by itself, as often as it is asked.
    this.#server.on("checkExpectation", (request, response) => this.#serve(request, response));
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.timeout = this.#readMs;
  }

  /** For tests: the page of a bot ends with its thread. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Resolves with the page's address; rejects with the system's error. */
  async listen(): Promise<string> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    // Later errors concern single connections.
    this.#server.on("error", () => undefined);
    const address = this.#server.address() as AddressInfo;
    this.#access = new PageAccess({ ...this.#options, port: address.port });
    return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
  }

  /** Shows the next update, see `PageState.apply`. */
  update(update: string): void {
    this.#state.apply(update);
    for (const viewer of this.#viewers) this.#push(viewer);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    request.resume();
    if (!this.#requests.take(performance.now()))
      return refuse(response, { status: 429, text: "too many requests" });
    const url = URL.parse(request.url ?? "/", "http://page");
    if (url === null) return refuse(response, { status: 400, text: "not an address" });
    const { pathname, searchParams: query } = url;
    const { method = "GET", headers } = request;
    const refusal = this.#access.refusal({ method, path: pathname, query, headers });
    if (refusal !== undefined) return refuse(response, refusal);
    if (pathname === "/api/snapshot") return this.#sendSnapshot(response);
    if (pathname === "/api/stream" && method === "GET") return this.#stream(response);
    this.#sendFile(response, pathname === "/" ? "/index.html" : pathname);
  }

  #sendSnapshot(response: ServerResponse): void {
    const { whole } = this.#state;
    if (whole === undefined) return refuse(response, { status: 503, text: "starting" });
    send(response, 200, { "content-type": "application/json", "cache-control": "no-store" }, whole);
  }

  #sendFile(response: ServerResponse, name: string): void {
    const file = this.#files.get(name);
    const type = contentTypes[path.extname(name)];
    if (file === undefined || type === undefined) {
      return refuse(response, { status: 404, text: "not found" });
    }
    send(response, 200, { "content-type": type }, file);
  }

  /** Sends snapshots as server-sent events until the viewer leaves. */
  #stream(response: ServerResponse): void {
    if (this.#viewers.size >= MAX_VIEWERS) {
      return refuse(response, { status: 503, text: "too many viewers" });
    }
    // Between two updates there is nothing to read.
    response.socket?.setTimeout(0);
    const viewer: Viewer = { response, isBehind: true, readMs: performance.now() };
    this.#viewers.add(viewer);
    this.#options.viewers(this.#viewers.size);
    response.on("close", () => {
      this.#viewers.delete(viewer);
      this.#options.viewers(this.#viewers.size);
    });
    response.writeHead(200, {
      ...securityHeaders,
      "content-type": "text/event-stream",
      "cache-control": "no-store",
    });
    this.#push(viewer);
  }

  /** A viewer that reads slowly has at most one update waiting, and gets a whole one afterwards. */
  #push(viewer: Viewer): void {
    const { response } = viewer;
    const nowMs = performance.now();
    if (response.writableLength > 0) {
      viewer.isBehind = true;
      if (nowMs - viewer.readMs > this.#readMs) response.destroy();
      return;
    }
    viewer.readMs = nowMs;
    const text = viewer.isBehind ? this.#state.whole : this.#state.update;
    if (text === undefined) return;
    viewer.isBehind = false;
    response.write(`data: ${text}\n\n`);
  }
}

/** Every file of the built page by its path, read once: a request reaches no other file. */
function filesOf(webDir: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  try {
    for (const entry of readdirSync(webDir, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(webDir, file).split(path.sep).join("/");
      files.set(`/${name}`, readFileSync(file));
    }
  } catch {
    // Without the built page its data can still be read.
  }
  return files;
}

function refuse(response: ServerResponse, { status, text, headers }: PageRefusal): void {
  const plain = { "content-type": "text/plain; charset=utf-8", ...headers };
  // A client that is refused for its rate starts again with a connection, which is counted.
  send(response, status, status === 429 ? { ...plain, connection: "close" } : plain, text);
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...securityHeaders, ...headers, "content-length": length });
  response.end(body);
}
