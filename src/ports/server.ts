/** An HTTP server with one WebSocket path, as the paper venue needs it. */
export interface ServerRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when it was longer than `maxBodyBytes`. */
  readonly body: Uint8Array | undefined;
}

export interface ServerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** No answer at all: the connection breaks. For faults that somebody asked for. */
  readonly cut?: true;
}

/** One client's WebSocket, seen from the server. */
export interface ServerSocket {
  send(text: string): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  /** From now on nothing is read from the client, its pings neither, and nobody is told. For faults that somebody asked for. */
  freeze(): void;
  /** Bytes accepted by `send` that the network has not taken yet. */
  readonly bufferedBytes: number;
}

export interface ServerSocketHandlers {
  /** One message; true when the client called it binary. */
  frame(data: Uint8Array, isBinary?: boolean): void;
  pong(): void;
  closed(): void;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly socketPath: string;
  readonly maxBodyBytes: number;
  /** Largest WebSocket message taken from a client; a longer one closes the connection. */
  readonly maxFrameBytes: number;
  respond(request: ServerRequest): Promise<ServerResponse> | ServerResponse;
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
