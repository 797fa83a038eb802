import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ServerRequest, ServerResponse } from "../ports/server.ts";

/** Heads longer than this are node:http's. */
const HEAD_BYTES_MAX = 4096;
const HEADS_MAX = 256;
const END_OF_HEAD = "\r\n\r\n";
const requestLine = /^(GET|POST) (\/[\x21-\x7e]*) HTTP\/1\.1$/;
const headerLine = /^([a-zA-Z-]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

/** Headers that change nothing about how a request is read; with any other one it is not plain. */
const harmless = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "host",
  "origin",
  "referer",
  "sec-fetch-mode",
  "user-agent",
]);

export interface PlainHead extends Omit<ServerRequest, "body"> {
  /** Length of the body in bytes. */
  readonly length: number;
}

/** A head that can only be read one way; undefined for all else, which is node:http's to read or refuse. */
export function plainHead(text: string): PlainHead | undefined {
  const [first = "", ...lines] = text.split("\r\n");
  const [, method, target] = requestLine.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, written, value] = headerLine.exec(line) ?? [];
    if (written === undefined || value === undefined) return undefined;
    const name = written.toLowerCase();
    if (!harmless.has(name) || Object.hasOwn(headers, name)) return undefined;
    headers[name] = value;
  }
  const { host, connection = "keep-alive", "content-length": declared } = headers;
  if (host === undefined || connection.toLowerCase() !== "keep-alive") return undefined;
  if (method === "POST" ? !/^\d{1,7}$/.test(declared ?? "") : declared !== undefined) {
    return undefined;
  }
  const query = target.indexOf("?");
  return {
    method,
    path: query < 0 ? target : target.slice(0, query),
    query: new URLSearchParams(query < 0 ? "" : target.slice(query + 1)),
    headers,
    length: Number(declared ?? 0),
  };
}

/** Clients write the same few heads all day. */
const heads = new Map<string, PlainHead>();

/** The only request in `chunk`, whole and plain; else undefined. */
export function plainRequest(chunk: Buffer, maxBodyBytes: number): ServerRequest | undefined {
  const end = chunk.indexOf(END_OF_HEAD);
  if (end < 0 || end > HEAD_BYTES_MAX) return undefined;
  const text = chunk.toString("latin1", 0, end);
  let head = heads.get(text);
  if (head === undefined) {
    head = plainHead(text);
    if (head === undefined) return undefined;
    if (head.method === "POST") {
      if (heads.size >= HEADS_MAX) heads.clear();
      heads.set(text, head);
    }
  }
  const { method, path, query, headers, length } = head;
  const body = chunk.subarray(end + END_OF_HEAD.length);
  if (length > maxBodyBytes || body.length !== length) return undefined;
  return { method, path, query, headers, body };
}

export interface PlainConnectionOptions {
  readonly maxBodyBytes: number;
  /** Until the first request, and between two. */
  readonly firstTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  respond(request: ServerRequest): Promise<ServerResponse> | ServerResponse;
  /** Something threw: a bug. */
  bug(thrown: unknown): void;
  /** From now on the connection is node:http's; `unread` comes first. */
  handOver(socket: Socket, unread: Buffer): void;
}

/**
 * Serves a connection as long as each request on it is plain: GET or POST, usual headers, one whole request a packet. node:http
 * takes 6 µs more for each of those. The first one that is anything else goes to node:http, and the connection with it for good.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #options: PlainConnectionOptions;
  readonly #onData = (chunk: Buffer): void => this.#hear(chunk);
  readonly #onEnd = (): void => this.#ended();
  readonly #onError = (): void => void this.#socket.destroy();
  readonly #onTimeout = (): void => {
    if (!this.#isAnswering) this.#socket.destroy();
  };
  readonly #onDrain = (): void => this.#goOn();
  #isAnswering = false;
  #hasEnded = false;
  /** Came while an answer was due. */
  #unread: Buffer | undefined;

  private constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** From the connection's first byte on. */
  static serve(socket: Socket, options: PlainConnectionOptions): void {
    new PlainConnection(socket, options).#listen();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.setTimeout(this.#options.firstTimeoutMs);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("timeout", this.#onTimeout);
    socket.on("drain", this.#onDrain);
  }

  #hear(chunk: Buffer): void {
    if (this.#isAnswering || this.#socket.writableNeedDrain) {
      this.#unread = this.#unread === undefined ? chunk : Buffer.concat([this.#unread, chunk]);
      this.#socket.pause();
      return;
    }
    const request = plainRequest(chunk, this.#options.maxBodyBytes);
    if (request === undefined) {
      this.#handOver(chunk);
      return;
    }
    this.#isAnswering = true;
    const failed = (thrown: unknown): void => {
      this.#answer({ status: 500, body: "" });
      this.#options.bug(thrown);
    };
    try {
      const reply = this.#options.respond(request);
      if (reply instanceof Promise) reply.then((given) => this.#answer(given), failed);
      else this.#answer(reply);
    } catch (thrown) {
      failed(thrown);
    }
  }

  #answer(reply: ServerResponse): void {
    const socket = this.#socket;
    this.#isAnswering = false;
    if (socket.destroyed) return;
    if (reply.cut === true) {
      socket.destroy();
      return;
    }
    const { keepAliveTimeoutMs } = this.#options;
    if (socket.timeout !== keepAliveTimeoutMs) socket.setTimeout(keepAliveTimeoutMs);
    socket.write(responseText(reply, keepAliveTimeoutMs));
    if (this.#hasEnded) socket.end();
    else if (this.#unread !== undefined) this.#goOn();
  }

  /** Reads on, when nothing stands in the way. */
  #goOn(): void {
    const unread = this.#unread;
    if (unread === undefined || this.#isAnswering || this.#socket.writableNeedDrain) return;
    this.#unread = undefined;
    this.#socket.resume();
    this.#hear(unread);
  }

  #ended(): void {
    this.#hasEnded = true;
    if (!this.#isAnswering) this.#socket.end();
  }

  #handOver(chunk: Buffer): void {
    const socket = this.#socket;
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("error", this.#onError);
    socket.off("timeout", this.#onTimeout);
    socket.off("drain", this.#onDrain);
    socket.setTimeout(0);
    this.#options.handOver(socket, chunk);
  }
}

function responseText(reply: ServerResponse, keepAliveTimeoutMs: number): string {
  let head = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}\r\n`;
  for (const name in reply.headers) head += `${name}: ${reply.headers[name] ?? ""}\r\n`;
  return (
    `${head}content-length: ${Buffer.byteLength(reply.body)}\r\nDate: ${dateText()}\r\nConnection: keep-alive\r\n` +
    `Keep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n\r\n${reply.body}`
  );
}

const date = { second: 0, text: "" };

/** The time as a Date header has it, made once a second. */
function dateText(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== date.second) {
    date.second = second;
    date.text = new Date(second * 1000).toUTCString();
  }
  return date.text;
}
