/** Events of a WebSocket client. */
export interface SocketHandlers {
  opened(): void;
  /** One text message in UTF-8. The bytes are valid only until the handler returns. */
  frame(data: Uint8Array): void;
  pong(): void;
  /** Called exactly once, also when connecting failed and whichever side closed. No other call follows. */
  closed(code: number, reason: string): void;
}

export interface Socket {
  send(text: string): void;
  /** Sends a ping frame; the reply arrives at `pong`. */
  ping(): void;
  /** Starts the closing handshake. */
  close(): void;
  /** Breaks the connection at once. */
  terminate(): void;
}

export interface SocketConnector {
  connect(url: string, handlers: SocketHandlers): Socket;
}
