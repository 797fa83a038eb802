/** An HTTP request of a client. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Absolute address. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** A longer response is cut off and fails with `HTTP_TOO_LONG`. Default: the client's own limit. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Http {
  /** Rejects only with TransportError: `not-sent` when no byte of the request left, else `unknown`. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes all open connections. */
  close(): Promise<void>;
}
