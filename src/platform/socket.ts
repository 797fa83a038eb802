import type { ClientRequest } from "node:http";
import https from "node:https";
import WebSocket, { type ClientOptions } from "ws";
import { errorText } from "../base/error-text.ts";
import { plainText } from "../base/plain-text.ts";
import type { Socket, SocketConnector } from "../ports/socket.ts";
import { FRAME_BYTES_MAX } from "../spec/limits.ts";
import { http } from "./node-http.ts";
import { proxiesFor } from "./proxy.ts";
import { INFORMATIONAL_MAX } from "./limit-reads.ts";

export interface SocketOptions {
  /** How long a connection may take to open, from the look-up of the name to the last byte of the response. */
  readonly handshakeTimeoutMs?: number;
  /** A longer message closes the connection. */
  readonly maxFrameBytes?: number;
}

/**
 * Bytes that are read in one turn of the event loop, and those of the same read; they hold at most some 5000 levels. libuv reads up to 2 MiB of a
 * connection at once, and decoding all of them would hold the loop for tens of milliseconds.
 */
const TURN_BYTES = 128 * 1024;
/** What reading a frame costs besides its bytes, in bytes: without it, tiny frames would be read by the ten thousands. */
const FRAME_BYTES = 128;
/** Frames of the same read behind those of a turn: 64 KiB hold 3000 of the shortest messages that a venue sends. */
const UNASKED_FRAMES_MAX = 3_000;
/** Pieces of a message; the venue sends messages whole. */
const FRAGMENTS_MAX = 256;

/**
 * How long the other side may take to end the connection after its close frame or ours. Nothing it sends meanwhile is read. The library's
 * types lack the option.
 */
const CLOSE_MS = 1_000;

const HANDSHAKE_MS = 5_000;

/** Close code of a connection that ended without a closing handshake (RFC 6455 §7.1.5). */
const ABNORMAL = 1006;

/** WebSocket client on ws, through the proxy that the environment names. UTF-8 is not validated here, since the decoders reject invalid text. */
export function createSocketConnector(options: SocketOptions = {}): SocketConnector {
  return {
    connect(url, handlers) {
      let isOver = false;
      let trouble = "";
      const closed = (code: number, reason: string): void => {
        if (isOver) return;
        isOver = true;
        handlers.closed(code, plainText(reason));
      };

      let socket: WebSocket;
      try {
        const settings: ClientOptions & { readonly closeTimeout: number } = {
          perMessageDeflate: false,
          skipUTF8Validation: true,
          maxPayload: options.maxFrameBytes ?? FRAME_BYTES_MAX,
          followRedirects: false,
          maxFragments: FRAGMENTS_MAX,
          closeTimeout: CLOSE_MS,
          // One pong for all pings of a turn (RFC 6455 §5.5.3), or a flood of pings would make us write as many.
          autoPong: false,
          ...agentFor(url),
          // The library's own limit is one of silence: a byte now and then would hold the attempt.
          finishRequest: (request) =>
            requestHandshake(request, options.handshakeTimeoutMs ?? HANDSHAKE_MS),
        };
        socket = new WebSocket(url, settings);
      } catch (thrown) {
        // Not a valid address. Reported later like every other failure, so that the caller has its socket first.
        const reason = errorText(thrown);
        setImmediate(() => closed(ABNORMAL, reason));
        return deadSocket;
      }
      socket.binaryType = "nodebuffer";
      socket.on("open", () => handlers.opened());
      let read = 0;
      let unasked = 0;
      let isPaused = false;
      const count = (bytes: number): void => {
        read += bytes + FRAME_BYTES;
        if (isPaused) {
          unasked += 1;
          if (unasked < UNASKED_FRAMES_MAX) return;
          trouble = `more than ${UNASKED_FRAMES_MAX} frames in one read`;
          socket.terminate();
        } else if (read >= TURN_BYTES) {
          isPaused = true;
          socket.pause();
          setImmediate(() => {
            [read, unasked, isPaused] = [0, 0, false];
            socket.resume();
          });
        }
      };
      let newestPing: Buffer | undefined;
      const pong = (): void => {
        if (newestPing !== undefined && socket.readyState === WebSocket.OPEN) {
          socket.pong(newestPing);
        }
        newestPing = undefined;
      };
      socket.on("message", (data) => {
        if (isOver || !(data instanceof Buffer)) return;
        handlers.frame(data);
        count(data.length);
      });
      socket.on("ping", (data) => {
        if (newestPing === undefined) setImmediate(pong);
        newestPing = data;
        count(data.length);
      });
      socket.on("pong", (data) => {
        if (isOver) return;
        handlers.pong();
        count(data.length);
      });
      // ws would wait for the other side to close the connection, and read on meanwhile. "close" follows.
      socket.on("error", (error) => {
        trouble = error.message;
        socket.terminate();
      });
      socket.on("close", (code, reason) => {
        const given = reason.toString("utf8");
        closed(code, given === "" ? trouble : given);
      });

      return {
        send: (text) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text);
        },
        ping: () => {
          if (socket.readyState === WebSocket.OPEN) socket.ping();
        },
        close: () => socket.close(1000),
        terminate: () => socket.terminate(),
      };
    },
  };
}

function agentFor(url: string): Pick<ClientOptions, "agent"> {
  const { hostname, protocol } = new URL(url);
  const proxies = proxiesFor(hostname);
  if (proxies === undefined) return {};
  const proxyEnv = { ...proxies };
  return {
    agent: protocol === "wss:" ? new https.Agent({ proxyEnv }) : new http.Agent({ proxyEnv }),
  };
}

/** Sends the handshake's request. Gives up after `limitMs`, and when the answer is nothing but informational responses. */
function requestHandshake(request: ClientRequest, limitMs: number): void {
  const limit = setTimeout(() => {
    request.destroy(new Error(`the handshake took longer than ${limitMs} ms`));
  }, limitMs);
  // The request closes when the connection is upgraded, too.
  request.once("close", () => clearTimeout(limit));
  let informational = 0;
  request.on("information", () => {
    informational += 1;
    if (informational === INFORMATIONAL_MAX + 1) {
      request.destroy(new Error("it got nothing but informational responses"));
    }
  });
  request.end();
}

const deadSocket: Socket = {
  send: () => undefined,
  ping: () => undefined,
  close: () => undefined,
  terminate: () => undefined,
};
