import { TransportError } from "../base/error.ts";
import type { CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Http, HttpResponse } from "../ports/http.ts";
import type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
import { endpoints } from "../spec/endpoints.ts";
import { decodeAnswer, isDefiniteNo } from "../spec/envelope.ts";
import { commandRoutes, type SignableCommand, type SignedCommand } from "../spec/sign-command.ts";
import { VenueError } from "./venue-error.ts";

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface VenueClientOptions {
  readonly http: Http;
  /** Base address, e.g. `https://host`; a path under it is kept. */
  readonly rest: string;
  /** Of reads. Default 5 s. */
  readonly readTimeoutMs?: number;
  /** Of commands. Default 5 s. */
  readonly commandTimeoutMs?: number;
}

const decoder = new TextDecoder();

/**
 * Typed calls to the venue, derived from the endpoint table. A readable no is a VenueError; everything that leaves open
 * whether it happened (5xx, unreadable answers, time-outs) is a TransportError `unknown`, as is `not-sent` when no byte left.
 */
export class VenueClient {
  readonly #http: Http;
  readonly #rest: string;
  readonly #readTimeoutMs: number;
  readonly #commandTimeoutMs: number;
  #extraFields = 0;

  constructor(options: VenueClientOptions) {
    this.#http = options.http;
    this.#rest = options.rest.replace(/\/+$/, "");
    this.#readTimeoutMs = options.readTimeoutMs ?? 5_000;
    this.#commandTimeoutMs = options.commandTimeoutMs ?? 5_000;
  }

  /** Fields in answers that the interface does not know: tolerated, counted. */
  get extraFields(): number {
    return this.#extraFields;
  }

  /** Asks a GET endpoint. Rejects with VenueError or TransportError. */
  async call<E extends Endpoint>(
    endpoint: E,
    query: QueryOf<E>,
    options: CallOptions = {},
  ): Promise<ResultOf<E>> {
    const response = await this.#http.request({
      method: endpoint.method,
      url: this.#rest + targetOf(endpoint, query as Readonly<Record<string, unknown>>),
      timeoutMs: options.timeoutMs ?? this.#readTimeoutMs,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return this.#resultOf(endpoint, response);
  }

  /**
   * Sends signed bytes to the command's path; always resolves. `handedOver` is called when the request is in the HTTP client's
   * hands. An answer with another hash than ours proves nothing about our order: `unknown`.
   */
  async submit(
    type: SignableCommand["type"],
    signed: SignedCommand,
    handedOver?: () => void,
  ): Promise<CommandOutcome> {
    const endpoint = endpoints[commandRoutes[type].endpoint];
    try {
      const request = this.#http.request({
        method: "POST",
        url: this.#rest + endpoint.path,
        headers: jsonHeaders,
        body: `{"tx":"${signed.bytesHex}"}`,
        timeoutMs: this.#commandTimeoutMs,
      });
      handedOver?.();
      const txHash = this.#resultOf<Endpoint>(endpoint, await request);
      if (typeof txHash === "string" && (txHash.toLowerCase() as OrderId) === signed.txHash) {
        return { type: "accepted" };
      }
      return { type: "unknown", message: "the venue answered with another transaction's hash" };
    } catch (thrown) {
      return outcomeOf(thrown);
    }
  }

  #resultOf<E extends Endpoint>(endpoint: E, response: HttpResponse): ResultOf<E> {
    const what = `${endpoint.method} ${endpoint.path}`;
    const answer = decodeAnswer(endpoint, response.status, decoder.decode(response.body));
    const retryAfterMs = retryAfterOf(response);
    switch (answer.type) {
      case "ok":
        this.#extraFields += answer.extraFields;
        return answer.result;
      case "refused":
        if (isDefiniteNo(answer.code)) {
          throw new VenueError(answer.code, answer.errMsg, what, retryAfterMs);
        }
        throw new TransportError(
          "unknown",
          "VENUE_FAILED",
          `The venue failed at ${what}: ${answer.errMsg} (${answer.code}).`,
          { context: { venueCode: answer.code, retryAfterMs } },
        );
      case "broken":
        throw new TransportError(
          "unknown",
          "VENUE_UNREADABLE",
          `The venue's answer is not readable: ${answer.why}.`,
          { context: { status: response.status, retryAfterMs } },
        );
    }
  }
}

const jsonHeaders = { "content-type": "application/json" };

/** Path and query of a request; `{name}` in the path comes from the query. */
function targetOf(endpoint: Endpoint, query: Readonly<Record<string, unknown>>): string {
  let { path } = endpoint;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const slot = `{${name}}`;
    if (path.includes(slot)) path = path.replace(slot, encodeURIComponent(value));
    else search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** `Retry-After` in seconds (D11); undefined when absent or not a number. */
function retryAfterOf(response: HttpResponse): number | undefined {
  const text = response.headers["retry-after"];
  const seconds = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}

function outcomeOf(thrown: unknown): CommandOutcome {
  if (thrown instanceof VenueError) {
    const { venueCode, retryAfterMs, context } = thrown;
    const message = typeof context["errMsg"] === "string" ? context["errMsg"] : thrown.message;
    return { type: "refused", code: venueCode, message, retryAfterMs };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // What is not a TransportError is a bug after the bytes may have left: the careful reading.
  const isNotSent = thrown instanceof TransportError && thrown.outcome === "not-sent";
  return { type: isNotSent ? "not-sent" : "unknown", message };
}

/** How long the venue asked to wait, whatever the failure; undefined when it did not say. */
export function retryAfterOfError(thrown: unknown): number | undefined {
  if (thrown instanceof VenueError) return thrown.retryAfterMs;
  const asked = thrown instanceof TransportError ? thrown.context["retryAfterMs"] : undefined;
  return typeof asked === "number" ? asked : undefined;
}
