/** A request to an HTTP server with one WebSocket path. */
export interface ServerRequest {
  /** Names the connection that it came on. */
  readonly connection: string;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when it exceeded `maxBodyBytes`. */
  readonly body: Uint8Array | undefined;
}

export interface ServerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Breaks the connection without a response, for injected faults. */
  readonly cut?: true;
}

/** One client's WebSocket, seen from the server. */
export interface ServerSocket {
  send(text: string): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /** Stops reading from the client, pings included, without closing the connection. For injected faults. */
  freeze(): void;
  /** Bytes passed to `send` that the network has not accepted yet. */
  readonly bufferedBytes: number;
}

export interface ServerSocketHandlers {
  /** One message; `isBinary` is true for a binary frame. */
  frame(data: Uint8Array, isBinary?: boolean): void;
  pong(): void;
  closed(): void;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly socketPath: string;
  readonly maxBodyBytes: number;
  /** Largest WebSocket message; a longer one closes the connection. */
  readonly maxFrameBytes: number;
  respond(request: ServerRequest): Promise<ServerResponse> | ServerResponse;
  /** Why a WebSocket with these headers (names in lower case) is refused, as an HTTP status and a sentence; undefined when it is not. */
  refuseSocket?(
    headers: Readonly<Record<string, string>>,
  ): { readonly status: number; readonly errMsg: string } | undefined;
  connected(socket: ServerSocket): ServerSocketHandlers;
}

export interface RunningServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface ServerFactory {
  /** Rejects with TouchlineError `PORT_TAKEN` when the port is in use. */
  listen(options: ServerOptions): Promise<RunningServer>;
}
