/** HTTP as a client. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Absolute. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Http {
  /** Rejects with TransportError only: `not-sent` when no byte of the request left, else `unknown`. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Ends open connections. */
  close(): Promise<void>;
}
