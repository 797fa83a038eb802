import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { SharedBacklog } from "../base/shared-backlog.ts";
import type { SlicedReads } from "./sliced-reads.ts";

export interface ConnectionLimits {
  /** Concurrent connections, WebSockets included. */
  readonly maxConnections: number;
  /** Unsent bytes of all responses together. */
  readonly maxUnsentBytes: number;
}

/** One request and its response. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Call after the whole response was handed to the connection. */
  sent(): void;
}

/** With this many requests ahead of their responses, nothing more is read of a connection. */
const AHEAD_MAX = 8;
/** A client that has read nothing of its response for this long is disconnected. */
const UNREAD_MS = 30_000;

interface Connection {
  isBusy: boolean;
  isStopped: boolean;
  /** Requests behind the one in progress, in the order in which they arrived. */
  readonly waiting: (() => void)[];
}

/**
 * The connections of an HTTP server. Each has one request in progress: a client that sends hundreds at once, or does not read its
 * responses, delays nobody else. When there are too many connections, the one that has been idle longest makes room.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #reads: Pick<SlicedReads, "stop" | "go">;
  readonly #all = new Map<Socket, Connection>();
  /** Connections that have never sent a whole request, oldest first. */
  readonly #fresh = new Set<Socket>();
  /** Connections between two requests, the longest idle first. */
  readonly #idle = new Set<Socket>();
  readonly #unsent: SharedBacklog<Socket>;

  constructor(server: Server, limits: ConnectionLimits, reads: Pick<SlicedReads, "stop" | "go">) {
    this.#limits = limits;
    this.#reads = reads;
    this.#unsent = new SharedBacklog(
      limits.maxUnsentBytes,
      (socket) => socket.writableLength,
      (socket) => socket.destroy(),
    );
    server.on("connection", (socket: Socket) => this.#opened(socket));
  }

  /** Serves a request once those before it on its connection have their responses. */
  take({ request, response }: HttpExchange, serve: () => void): void {
    const { socket } = request;
    const connection = this.#all.get(socket);
    if (connection === undefined) return;
    response.once("close", () => this.#ended(socket, connection));
    if (connection.isBusy) {
      connection.waiting.push(serve);
      if (connection.waiting.length >= AHEAD_MAX && !connection.isStopped) {
        connection.isStopped = true;
        this.#reads.stop(socket);
      }
      return;
    }
    connection.isBusy = true;
    this.#fresh.delete(socket);
    this.#idle.delete(socket);
    serve();
  }

  /** A whole response was handed to its connection. */
  sent(socket: Socket): void {
    if (socket.writableLength === 0) return;
    socket.setTimeout(UNREAD_MS);
    this.#unsent.note(socket);
  }

  /** The connection became a WebSocket: it counts, and is never idle. */
  upgraded(socket: Socket): void {
    this.#fresh.delete(socket);
    this.#idle.delete(socket);
  }

  #opened(socket: Socket): void {
    if (this.#all.size >= this.#limits.maxConnections && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    this.#all.set(socket, { isBusy: false, isStopped: false, waiting: [] });
    this.#fresh.add(socket);
    socket.once("close", () => this.#forget(socket));
  }

  #makeRoom(): boolean {
    const [longestIdle] = this.#fresh.size > 0 ? this.#fresh : this.#idle;
    if (longestIdle === undefined) return false;
    this.#forget(longestIdle);
    longestIdle.destroy();
    return true;
  }

  #ended(socket: Socket, connection: Connection): void {
    this.#unsent.forget(socket);
    if (!this.#all.has(socket)) return;
    const next = connection.waiting.shift();
    if (connection.isStopped && connection.waiting.length < AHEAD_MAX) {
      connection.isStopped = false;
      this.#reads.go(socket);
    }
    // On a later turn, so that other clients come in between.
    if (next !== undefined) setImmediate(next);
    else {
      connection.isBusy = false;
      this.#idle.add(socket);
    }
  }

  #forget(socket: Socket): void {
    this.#all.delete(socket);
    this.#fresh.delete(socket);
    this.#idle.delete(socket);
    this.#unsent.forget(socket);
  }
}
