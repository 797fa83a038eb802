import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { TokenBucket } from "../base/token-bucket.ts";
import { http } from "../platform/node-http.ts";
import { AccessTokens, type Role } from "./access-tokens.ts";
import { api, type ApiContext, type ApiParts, refuse } from "./api.ts";
import { type Json, mergePatch } from "./merge-patch.ts";
import { type Grant, PageAccess, type PageAccessOptions, type PageRefusal } from "./page-access.ts";
import type { PageState } from "./page-state.ts";
import { Sessions } from "./sessions.ts";
import { JournalReader } from "./journal-reader.ts";
import type { StrategyParameters } from "./strategy-parameters.ts";

export interface PageServerOptions
  extends PageAccessOptions,
    Pick<ApiParts, "version" | "command" | "warn"> {
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder with the built page. */
  readonly webDir: string;
  /** Folder of the bot's journal, which its access tokens lie beside; empty for a page of several bots. */
  readonly journal: string;
  /** Address of the module that reads the journal; see `JournalReader`. */
  readonly journalThread: string;
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
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** What is shown. Without a snapshot only the stream and the page's files are served. */
export type PageSource = Pick<PageState, "snapshot" | "log" | "overview" | "shown">;

interface Viewer {
  readonly response: ServerResponse;
  readonly grant: Grant;
  /** Name of the market that it looks at. */
  readonly market: string | undefined;
  /** What it has been sent. */
  sent: Json | undefined;
  /** When it last had read everything, by `performance.now()`. */
  readMs: number;
}

/** The page and the HTTP API. Runs on the page's own thread, so no load on it reaches the bot. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #readMs: number;
  readonly #source: PageSource;
  readonly #files: ReadonlyMap<string, Buffer>;
  readonly #viewers = new Set<Viewer>();
  readonly #server: Server;
  readonly #sessions = new Sessions();
  readonly #requests = new TokenBucket(REQUESTS, performance.now());
  #access: PageAccess;
  #serve: (request: IncomingMessage, response: ServerResponse) => unknown;
  #url = "";
  #updatedMs = 0;
  #strategies: readonly StrategyParameters[] = [];

  constructor(options: PageServerOptions, source: PageSource) {
    this.#options = options;
    this.#source = source;
    this.#readMs = options.readMs ?? READ_MS;
    this.#files = filesOf(options.webDir);
    this.#access = this.#accessAt(options.port);
    this.#serve = this.#listener();
    this.#server = http.createServer(
      {
        headersTimeout: REQUEST_MS,
        requestTimeout: REQUEST_MS,
        keepAliveTimeout: REQUEST_MS,
        connectionsCheckingInterval: 1_000,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (request, response) => this.#admit(request, response),
    );
    // Otherwise Node answers by itself, as often as it is asked.
    this.#server.on("checkExpectation", (request, response) => this.#admit(request, response));
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
    this.#access = this.#accessAt(address.port);
    this.#serve = this.#listener();
    this.#url = `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
    return this.#url;
  }

  /** The address that logs one browser in, for ten minutes. */
  loginLink(role: Role): string {
    const [name] = this.#options.allowedHosts;
    const port = new URL(this.#url).port;
    const reached =
      name === undefined ? this.#url : name.includes("://") ? name : `http://${name}:${port}`;
    return `${reached}/login?code=${this.#sessions.link(role)}`;
  }

  /** The source has changed. */
  changed(): void {
    this.#updatedMs = performance.now();
    for (const viewer of this.#viewers) this.#push(viewer);
  }

  /** Parameters have changed. */
  setStrategies(strategies: readonly StrategyParameters[]): void {
    this.#strategies = strategies;
  }

  #accessAt(port: number): PageAccess {
    const tokens = new AccessTokens(this.#options.journal);
    return new PageAccess({ ...this.#options, port }, tokens, this.#sessions);
  }

  #listener() {
    const { version, command, warn, journalThread, journal } = this.#options;
    const reader = new JournalReader(journalThread, journal);
    const app = api({
      version,
      command,
      warn,
      access: this.#access,
      isOfSeveral: journal === "",
      data: () => {
        const { snapshot, log } = this.#source;
        if (snapshot === undefined) return undefined;
        const ageMs = performance.now() - this.#updatedMs;
        const strategies = this.#strategies;
        const overview = () => this.#source.overview(ageMs);
        return {
          snapshot,
          overview,
          ageMs,
          log,
          strategies,
          fromJournal: (subject) => reader.read(subject),
        };
      },
      stream: (context, grant) => this.#stream(context, grant),
      file: (name) => this.#file(name),
      waitFor: async ({ env: { outgoing } }, value) => {
        outgoing.socket?.setTimeout(0);
        try {
          return await value;
        } finally {
          outgoing.socket?.setTimeout(this.#readMs);
        }
      },
    });
    return getRequestListener((request, env) => app.fetch(request, env), {
      overrideGlobalObjects: false,
    });
  }

  /** Refuses what nobody may ask for; the rest is the API's. */
  #admit(request: IncomingMessage, response: ServerResponse): void {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const refusal = this.#refusalOf(request);
    if (refusal === undefined) return void this.#serve(request, response);
    request.resume();
    // A client that is refused for its rate starts again with a connection, which is counted.
    if (refusal.status === 429) response.setHeader("connection", "close");
    const { status, code, message, headers } = refusal;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { code, message } }));
  }

  #refusalOf({
    url = "/",
    method = "GET",
    headers,
    socket,
  }: IncomingMessage): PageRefusal | undefined {
    if (!this.#requests.take(performance.now()))
      return { status: 429, code: "TOO_MANY_REQUESTS", message: "Too many requests." };
    const address = URL.parse(url, "http://page");
    if (address === null) return { status: 400, code: "INVALID", message: "Not an address." };
    const remote = socket.remoteAddress ?? "";
    return this.#access.refusal({ method, path: address.pathname, headers, remote });
  }

  #file(name: string): Response | undefined {
    const found = name === "/" ? "/index.html" : name;
    const file = this.#files.get(found);
    const type = contentTypes[path.extname(found)];
    if (file === undefined || type === undefined) return undefined;
    return new Response(new Uint8Array(file), { headers: { "content-type": type } });
  }

  /** Sends snapshots as server-sent events until the viewer leaves. */
  #stream({ req, env: { outgoing: response } }: ApiContext, grant: Grant): Response {
    if (this.#viewers.size >= MAX_VIEWERS) {
      return refuse({ status: 503, code: "TOO_MANY_VIEWERS", message: "Too many viewers." });
    }
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    if (req.method !== "GET") return new Response(null, { headers });
    // Between two updates there is nothing to read.
    response.socket?.setTimeout(0);
    const viewer: Viewer = {
      response,
      grant,
      market: req.query("market"),
      sent: undefined,
      readMs: performance.now(),
    };
    this.#viewers.add(viewer);
    this.#options.viewers(this.#viewers.size);
    response.on("close", () => {
      this.#viewers.delete(viewer);
      this.#options.viewers(this.#viewers.size);
    });
    response.writeHead(200, headers);
    this.#push(viewer);
    return RESPONSE_ALREADY_SENT;
  }

  /**
   * Sends what has changed since a viewer was sent something, as a JSON merge patch. One that reads slowly has at most one waiting, and
   * gets the newest state afterwards. One whose token is revoked is left.
   */
  #push(viewer: Viewer): void {
    const { response, grant } = viewer;
    if (!grant.holds()) return void response.end();
    const nowMs = performance.now();
    if (response.writableLength > 0) {
      if (nowMs - viewer.readMs > this.#readMs) response.destroy();
      return;
    }
    viewer.readMs = nowMs;
    const shown = this.#source.shown(viewer.market);
    const patch = shown === undefined ? undefined : mergePatch(viewer.sent, shown);
    if (patch === undefined) return;
    viewer.sent = shown;
    response.write(`data: ${JSON.stringify(patch)}\n\n`);
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
    // Without the built page the API can still be used.
  }
  return files;
}
