import type { IncomingMessage, Server, ServerResponse as NodeResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer } from "ws";
import { TouchlineError } from "../base/error.ts";
import type {
  RunningServer,
  ServerFactory,
  ServerOptions,
  ServerResponse,
} from "../ports/server.ts";
import { encodeFailure } from "../spec/envelope.ts";
import { Connections, type HttpExchange } from "./connections.ts";
import { http } from "./node-http.ts";
import { attach, type FrameRate } from "./server-socket.ts";
import { SlicedReads } from "./sliced-reads.ts";
import { Turns } from "./turns.ts";

export interface ServerLimits {
  /** Concurrent connections, WebSockets included; beyond it the one that is idle longest is closed. */
  readonly maxConnections?: number;
  /** Concurrent WebSockets; fewer than `maxConnections`, so that requests always get through. */
  readonly maxSockets?: number;
  readonly frameRate?: FrameRate;
  /** Unsent bytes of all responses together; beyond it the slowest readers are disconnected. */
  readonly maxUnsentBytes?: number;
  /** Time allowed for the head of a request, against clients that send it slowly. */
  readonly headersTimeoutMs?: number;
  /** Time allowed for a whole request. */
  readonly requestTimeoutMs?: number;
}

/** Headers of a request that are read. */
const HEADERS_MAX = 100;

/** HTTP server on node:http, with ws on one path. */
export function createServerFactory(limits: ServerLimits = {}): ServerFactory {
  return { listen: (options) => listen(options, limits) };
}

async function listen(options: ServerOptions, limits: ServerLimits): Promise<RunningServer> {
  const server = http.createServer(
    {
      headersTimeout: limits.headersTimeoutMs ?? 10_000,
      requestTimeout: limits.requestTimeoutMs ?? 20_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs ?? 1_000),
      noDelay: true,
      // Refused in `serve`, with a message.
      requireHostHeader: false,
      // Other upgrades are offers that may be ignored: some HTTP clients offer h2c with their first request.
      shouldUpgradeCallback: (request: IncomingMessage) =>
        request.headers.upgrade?.toLowerCase() === "websocket" &&
        !hasBody(request) &&
        pathOf(targetOf(request)) === options.socketPath,
    },
    (request, response) => take(request, response),
  );
  server.maxHeadersCount = HEADERS_MAX;
  const turns = new Turns();
  const reads = new SlicedReads(turns);
  reads.sliceAll(server);
  const connectionLimits = {
    maxConnections: limits.maxConnections ?? 2_000,
    maxUnsentBytes: limits.maxUnsentBytes ?? 64 * 1024 * 1024,
  };
  const connections = new Connections(server, connectionLimits, reads);
  const take = (request: IncomingMessage, response: NodeResponse): void => {
    const exchange = { request, response, sent: () => connections.sent(request.socket) };
    connections.take(exchange, () => serve(options, exchange, turns));
  };

  const sockets = acceptSockets(server, options, limits, { connections, turns, reads });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(unreadable(error));
    else socket.destroy();
  });
  server.on("checkContinue", (request: IncomingMessage, response: NodeResponse) => {
    if (!isDeclaredTooLong(options, request)) response.writeContinue();
    take(request, response);
  });
  server.on("checkExpectation", (request: IncomingMessage, response: NodeResponse) => {
    const exchange = { request, response, sent: () => connections.sent(request.socket) };
    const reason = "The only supported expectation is 100-continue.";
    connections.take(exchange, () => refuse(exchange, 417, reason));
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(startError(options, error)));
    server.listen(options.port, options.host, () => resolve());
  });
  // Later errors concern single connections.
  server.on("error", () => undefined);

  const { port } = server.address() as AddressInfo;
  return {
    host: options.host,
    port,
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface SharedByConnections {
  readonly connections: Connections;
  readonly turns: Turns;
  readonly reads: SlicedReads;
}

/** Accepts WebSockets on `options.socketPath`, up to the limit. */
function acceptSockets(
  server: Server,
  options: ServerOptions,
  limits: ServerLimits,
  { connections, turns, reads }: SharedByConnections,
): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: options.maxFrameBytes,
    // Reads one frame of each client in turn, so that a client that sends thousands at once delays nobody.
    allowSynchronousEvents: false,
  });
  const maxSockets = limits.maxSockets ?? 1_000;
  const frameRate = limits.frameRate ?? { atOnce: 2_000, perSecond: 500 };
  server.on("upgrade", (request, socket: Socket, firstBytes) => {
    const head = reads.release(socket, firstBytes);
    socket.on("error", () => socket.destroy());
    const refused = options.refuseSocket?.(headersOf(request));
    if (refused !== undefined) {
      socket.end(refusal(refused.status, refused.errMsg));
      return;
    }
    if (sockets.clients.size >= maxSockets) {
      socket.end(refusal(503, `There are already ${maxSockets} WebSocket connections.`));
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      connections.upgraded(socket);
      attach(options, client, frameRate, turns);
    });
  });
  sockets.on("wsClientError", (error, socket) => {
    socket.end(refusal(400, `Not a WebSocket handshake: ${error.message}.`));
  });
  return sockets;
}

/** Response to bytes that are not a valid request. */
function unreadable({ code }: NodeJS.ErrnoException): string {
  if (code === "HPE_HEADER_OVERFLOW") return refusal(431, "The headers are too long.");
  return code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? refusal(408, "The request did not arrive in time.")
    : refusal(400, "Not an HTTP request.");
}

/** A complete response as bytes on the wire, in the form of every other refusal. */
function refusal(status: number, errMsg: string): string {
  const body = encodeFailure("standard", status, errMsg);
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function startError(options: ServerOptions, error: NodeJS.ErrnoException): TouchlineError {
  const { host, port } = options;
  if (error.code === "EADDRINUSE") {
    return new TouchlineError(
      "PORT_TAKEN",
      `Port ${port} on ${host} is in use by another program.`,
      {
        context: { host, port },
        hint: "Stop that program, or choose another port; port 0 picks a free one.",
        cause: error,
      },
    );
  }
  return new TouchlineError(
    "LISTEN_FAILED",
    `Cannot listen on ${host}:${port}: ${error.message}.`,
    {
      context: { host, port, reason: error.code },
      cause: error,
    },
  );
}

/** The target without scheme and host, which clients of proxies send (RFC 9112 §3.2.2). */
function targetOf({ url }: IncomingMessage): string {
  if (url === undefined || url.startsWith("/")) return url ?? "/";
  const local = url.replace(/^https?:\/\/[^/?]*/i, "");
  return local === "" || local.startsWith("?") ? `/${local}` : local;
}

function pathOf(target: string): string {
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}

/** Reads the whole request and sends the venue's response. Every promise and copy here costs time on each order. */
function serve(options: ServerOptions, exchange: HttpExchange, turns: Turns): void {
  const { request, response } = exchange;
  // A client that hangs up early gets no response.
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  let chunks: Buffer[] | undefined = [];
  let size = 0;
  const take = (body: Uint8Array | undefined): void => {
    chunks = undefined;
    turns.run(() => respond(options, exchange, body));
  };
  if (request.headers.host === undefined && request.httpVersion === "1.1") {
    refuse(exchange, 400, "An HTTP/1.1 request must name its host.");
    return;
  }
  if (isDeclaredTooLong(options, request)) {
    take(undefined);
    return;
  }
  request.on("data", (chunk: Buffer) => {
    if (chunks === undefined) return;
    size += chunk.length;
    if (size > options.maxBodyBytes) {
      request.pause();
      take(undefined);
    } else {
      chunks.push(chunk);
    }
  });
  request.on("end", () => {
    const [only, ...more] = chunks ?? [];
    if (chunks !== undefined)
      take(more.length === 0 && only !== undefined ? only : Buffer.concat(chunks));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return length !== "0" || coding !== undefined;
}

function isDeclaredTooLong(options: ServerOptions, { headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? 0) > options.maxBodyBytes;
}

/** Sends an error for a request that is not passed on to the venue. */
function refuse(exchange: HttpExchange, status: number, errMsg: string): void {
  const body = encodeFailure("standard", status, errMsg);
  send(exchange, { status, headers: { "content-type": "application/json" }, body }, false);
}

/** `body` is undefined when it exceeded the limit. */
function respond(
  options: ServerOptions,
  exchange: HttpExchange,
  body: Uint8Array | undefined,
): void {
  const { request } = exchange;
  const target = targetOf(request);
  const path = pathOf(target);
  const failed = (bug: unknown): void => {
    send(exchange, { status: 500, body: "" }, true);
    queueMicrotask(() => reportBug(bug));
  };
  try {
    const { remoteAddress, remotePort } = request.socket;
    const reply = options.respond({
      connection: `${remoteAddress} ${remotePort}`,
      method: request.method ?? "GET",
      path,
      query: new URLSearchParams(target.slice(path.length + 1)),
      get headers() {
        return headersOf(request);
      },
      body,
    });
    const isWhole = body !== undefined;
    if (reply instanceof Promise) {
      reply.then((given) => send(exchange, given, isWhole), failed);
    } else {
      send(exchange, reply, isWhole);
    }
  } catch (bug) {
    failed(bug);
  }
}

function send(
  { request, response, sent }: HttpExchange,
  reply: ServerResponse,
  isWhole: boolean,
): void {
  if (response.destroyed) return;
  if (reply.cut === true) {
    request.socket.destroy();
    return;
  }
  response.writeHead(reply.status, {
    ...reply.headers,
    "content-length": Buffer.byteLength(reply.body),
    // The rest of an overlong body is never read, so the connection cannot be reused.
    ...(isWhole ? {} : { connection: "close" }),
  });
  response.end(reply.body);
  sent();
}

/** A handler that throws is a bug: rethrown, so that it does not disappear in a status 500. */
function reportBug(thrown: unknown): void {
  throw thrown;
}

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return headers;
}
