import { createServer, type IncomingMessage, type ServerResponse as NodeResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { TouchlineError } from "../base/error.ts";
import type {
  RunningServer,
  ServerFactory,
  ServerOptions,
  ServerResponse,
  ServerSocket,
} from "../ports/server.ts";
import { encodeFailure } from "../spec/envelope.ts";

export interface ServerLimits {
  /** Connections at a time, WebSockets included. */
  readonly maxConnections?: number;
  /** Time to send the head of a request; a client that dribbles is cut. */
  readonly headersTimeoutMs?: number;
  /** Time to send a whole request. */
  readonly requestTimeoutMs?: number;
  readonly keepAliveTimeoutMs?: number;
}

/** node:http with ws on one path. */
export function createServerFactory(limits: ServerLimits = {}): ServerFactory {
  return { listen: (options) => listen(options, limits) };
}

async function listen(options: ServerOptions, limits: ServerLimits): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs ?? 10_000,
      requestTimeout: limits.requestTimeoutMs ?? 20_000,
      keepAliveTimeout: limits.keepAliveTimeoutMs ?? 65_000,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs ?? 1_000),
      noDelay: true,
    },
    (request, response) => serve(options, request, response),
  );
  server.maxConnections = limits.maxConnections ?? 2_000;

  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: options.maxFrameBytes,
  });
  server.on("upgrade", (request, socket: Socket, head) => {
    socket.on("error", () => socket.destroy());
    if (pathOf(request) !== options.socketPath) {
      socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => attach(options, client));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(unreadable(error));
    else socket.destroy();
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(startError(options, error)));
    server.listen(options.port, options.host, () => resolve());
  });
  // Errors of a running server belong to single connections.
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

/** What never became a request, answered in the form of any other refusal. */
function unreadable(error: NodeJS.ErrnoException): string {
  const [status, phrase, errMsg] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ([431, "Request Header Fields Too Large", "The headers are too long."] as const)
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ([408, "Request Timeout", "The request did not arrive in time."] as const)
        : ([400, "Bad Request", "This is no HTTP request."] as const);
  const body = encodeFailure("standard", status, errMsg);
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
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
        hint: "Stop that program, or give another port; port 0 takes a free one.",
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

function pathOf(request: IncomingMessage): string {
  const target = request.url ?? "/";
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}

/** Reads a request whole, asks the venue, sends its answer. On this path every promise and copy is paid for by each order. */
function serve(options: ServerOptions, request: IncomingMessage, response: NodeResponse): void {
  // A client that hangs up in the middle gets no answer; that is its own business.
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  let chunks: Buffer[] | undefined = [];
  let size = 0;
  const take = (body: Uint8Array | undefined): void => {
    chunks = undefined;
    answer(options, request, response, body);
  };
  if (Number(request.headers["content-length"] ?? 0) > options.maxBodyBytes) {
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

/** `body` is undefined when it was longer than allowed. */
function answer(
  options: ServerOptions,
  request: IncomingMessage,
  response: NodeResponse,
  body: Uint8Array | undefined,
): void {
  const target = request.url ?? "/";
  const path = pathOf(request);
  const failed = (bug: unknown): void => {
    send(request, response, { status: 500, body: "" }, true);
    queueMicrotask(() => reportBug(bug));
  };
  try {
    const reply = options.respond({
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
      reply.then((given) => send(request, response, given, isWhole), failed);
    } else {
      send(request, response, reply, isWhole);
    }
  } catch (bug) {
    failed(bug);
  }
}

function send(
  request: IncomingMessage,
  response: NodeResponse,
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
    // The rest of an over-long body is never read, so the connection cannot be used again.
    ...(isWhole ? {} : { connection: "close" }),
  });
  response.end(reply.body);
}

/** A handler that throws is a bug of ours: it must not vanish in a 500. */
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

/** Bytes waiting for a client that sends pings; one that reads nothing is cut. */
const UNREAD_PONGS_MAX = 1024 * 1024;

function attach(options: ServerOptions, client: WebSocket): void {
  client.binaryType = "nodebuffer";
  const socket: ServerSocket = {
    send: (text) => {
      if (client.readyState === client.OPEN) client.send(text);
    },
    ping: () => {
      if (client.readyState === client.OPEN) client.ping();
    },
    close: (code, reason) => client.close(code, reason),
    terminate: () => client.terminate(),
    freeze: () => client.pause(),
    get bufferedBytes() {
      return client.bufferedAmount;
    },
  };
  const handlers = options.connected(socket);
  // "close" follows every error and is all that the venue needs to know.
  client.on("error", () => undefined);
  client.on("message", (data, isBinary) => {
    if (data instanceof Buffer) handlers.frame(data, isBinary);
  });
  // ws answers pings by itself, whether anybody reads the answers or not.
  client.on("ping", () => {
    if (client.bufferedAmount > UNREAD_PONGS_MAX) client.terminate();
  });
  client.on("pong", () => handlers.pong());
  client.on("close", () => handlers.closed());
}
