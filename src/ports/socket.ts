/** WebSocket as a client. */
export interface SocketHandlers {
  opened(): void;
  /** One text message, UTF-8. The bytes belong to the receiver only until it returns. */
  frame(data: Uint8Array): void;
  pong(): void;
  /** Called exactly once, whichever side closed and also when connecting failed; nothing comes after it. */
  closed(code: number, reason: string): void;
}

export interface Socket {
  send(text: string): void;
  /** A ping frame of our own; the answer arrives at `pong`. */
  ping(): void;
  /** Closing handshake. */
  close(): void;
  /** Cuts the connection at once. */
  terminate(): void;
}

export interface SocketConnector {
  connect(url: string, handlers: SocketHandlers): Socket;
}
