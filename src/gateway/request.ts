import { TransportError } from "../base/error.ts";
import type { Http, HttpResponse } from "../ports/http.ts";
import type { Endpoint, ResultOf } from "../spec/endpoint.ts";
import { decodeResponse, isDefiniteNo } from "../spec/envelope.ts";
import { VenueError } from "./venue-error.ts";

/** The venue's address and the HTTP client that reaches it. */
export interface VenuePlace {
  readonly http: Http;
  /** Base address without a trailing slash, e.g. `https://host`; it may include a path. */
  readonly rest: string;
}

export interface VenueRequest {
  readonly query?: object;
  /** JSON text of a POST. */
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called synchronously once the HTTP client has the request. */
  readonly handedOver?: (() => void) | undefined;
}

export interface VenueResponse<Result> {
  readonly result: Result;
  /** Number of fields that the interface does not define. They are tolerated. */
  readonly extraFields: number;
}

const decoder = new TextDecoder();

/**
 * Sends one request to the venue. Rejects with VenueError for a readable refusal. Rejects with TransportError `unknown` when
 * the outcome is open (5xx, unreadable response, time-out) and `not-sent` when no byte was sent.
 */
export async function requestVenue<E extends Endpoint>(
  place: VenuePlace,
  endpoint: E,
  { query, body, timeoutMs, signal, handedOver }: VenueRequest,
): Promise<VenueResponse<ResultOf<E>>> {
  const request = place.http.request({
    method: endpoint.method,
    url: place.rest + (query === undefined ? endpoint.path : targetOf(endpoint, query)),
    ...(body === undefined ? {} : { headers: jsonHeaders, body }),
    timeoutMs,
    maxBytes: endpoint.limits.bytes,
    ...(signal === undefined ? {} : { signal }),
  });
  handedOver?.();
  return responseOf(endpoint, await request);
}

const jsonHeaders = { "content-type": "application/json" };

function responseOf<E extends Endpoint>(
  endpoint: E,
  response: HttpResponse,
): VenueResponse<ResultOf<E>> {
  const what = `${endpoint.method} ${endpoint.path}`;
  const decoded = decodeResponse(endpoint, response.status, decoder.decode(response.body));
  const retryAfterMs = retryAfterOf(response);
  switch (decoded.type) {
    case "ok":
      return decoded;
    case "refused":
      if (isDefiniteNo(decoded.code)) {
        throw new VenueError(decoded.code, decoded.errMsg, what, retryAfterMs);
      }
      throw new TransportError(
        "unknown",
        "VENUE_FAILED",
        `The venue failed at ${what}: ${decoded.errMsg} (${decoded.code}).`,
        { context: { venueCode: decoded.code, retryAfterMs } },
      );
    case "broken":
      throw new TransportError(
        "unknown",
        "VENUE_UNREADABLE",
        `The venue's response is not readable: ${decoded.reason}.`,
        { context: { status: response.status, retryAfterMs } },
      );
  }
}

/** Path and query of a request; `{name}` in the path comes from the query. */
function targetOf(endpoint: Endpoint, query: object): string {
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

/**
 * The longest wait that a `Retry-After` can impose: it is advice, and one node in maintenance must not silence a bot for an hour.
 * Every request of the project passes here, so no other place bounds it.
 */
const RETRY_AFTER_MAX_MS = 60_000;

/**
 * `Retry-After` of a 429 or a 503 in milliseconds, at most `RETRY_AFTER_MAX_MS` (D11; RFC 9110 §10.2.3); undefined when it is absent or
 * makes no sense, as on a page of another status.
 */
function retryAfterOf({ status, headers }: HttpResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = headers["retry-after"]?.trim();
  if (text === undefined || text === "") return undefined;
  const seconds = Number(text);
  // A date counts from the venue's own clock, which is the one that wrote it.
  const waitMs = Number.isNaN(seconds)
    ? Date.parse(text) - Date.parse(headers["date"] ?? "")
    : seconds * 1000;
  return waitMs >= 0 ? Math.min(Math.ceil(waitMs), RETRY_AFTER_MAX_MS) : undefined;
}

/** The base address without trailing slashes. */
export function baseAddress(rest: string): string {
  return rest.replace(/\/+$/, "");
}
