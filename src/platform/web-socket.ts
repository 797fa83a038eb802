import { errorText } from "../base/error-text.ts";
import { plainText } from "../base/plain-text.ts";
import type { SocketConnector } from "../ports/socket.ts";

/** Close code of a connection that ended without a closing handshake (RFC 6455 §7.1.5). */
const ABNORMAL = 1006;
/** A subscription to no channels: any message after it proves that the venue is alive. */
const PING = JSON.stringify({ method: "subscribe", params: { channels: [] }, id: 0 });

/**
 * WebSocket client on the global `WebSocket`, for programs without Node's libraries. It cannot send ping frames, so a ping is a
 * request for no channels, and the next message of any kind counts as the pong.
 */
export function webSocketConnector(): SocketConnector {
  const encoder = new TextEncoder();
  return {
    connect(url, handlers) {
      let isOver = false;
      let isPinged = false;
      let socket: WebSocket | undefined;
      const closed = (code: number, reason: string): void => {
        if (isOver) return;
        isOver = true;
        handlers.closed(code, plainText(reason));
      };
      const send = (text: string): void => {
        if (socket?.readyState === WebSocket.OPEN) socket.send(text);
      };
      try {
        socket = new WebSocket(url);
        socket.addEventListener("open", () => {
          if (!isOver) handlers.opened();
        });
        socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
          if (isOver || typeof data !== "string") return;
          const wasPinged = isPinged;
          isPinged = false;
          handlers.frame(encoder.encode(data));
          if (wasPinged) handlers.pong();
        });
        socket.addEventListener("close", ({ code, reason }) => closed(code, reason));
      } catch (thrown) {
        // Not a valid address. Reported later like every other failure, so that the caller has its socket first.
        const reason = errorText(thrown);
        setTimeout(() => closed(ABNORMAL, reason), 0);
      }
      return {
        send,
        ping() {
          isPinged = true;
          send(PING);
        },
        close: () => socket?.close(1000),
        terminate() {
          // A browser's socket cannot be cut off, and closing a dead one takes minutes, so `closed` is reported at once.
          socket?.close();
          closed(ABNORMAL, "terminated");
        },
      };
    },
  };
}
