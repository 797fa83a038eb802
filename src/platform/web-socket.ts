import type { SocketConnector } from "../ports/socket.ts";

/** Close code of a connection that ended without a closing handshake (RFC 6455 §7.1.5). */
const ABNORMAL = 1006;
/** A subscription to nothing: whatever comes after it proves that the venue is there. */
const PING = JSON.stringify({ method: "subscribe", params: { channels: [] }, id: 0 });

/**
 * The global `WebSocket`, for programs without Node's libraries. It has no ping frames of its own, so a ping is a request that asks
 * for no channel, and the next message, its reply or another one, counts as the answer.
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
        handlers.closed(code, reason);
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
        // An address that is none. Later, as every other failure, so that the caller has its socket first.
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
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
          // It cannot be cut, and closing one that is dead takes minutes: nobody listens any more.
          socket?.close();
          closed(ABNORMAL, "terminated");
        },
      };
    },
  };
}
