import { TransportError } from "../base/error.ts";
import type { Http, HttpResponse } from "../ports/http.ts";
import type { Endpoint, ResultOf } from "../spec/endpoint.ts";
import { decodeResponse, isDefiniteNo } from "../spec/envelope.ts";
import { VenueError } from "./venue-error.ts";

/** Where the venue is, and what carries requests to it. */
export interface VenuePlace {
  readonly http: Http;
  /** Base address, e.g. `https://host`, without a slash at its end; a path under it is kept. */
  readonly rest: string;
}

export interface VenueRequest {
  readonly query?: object;
  /** JSON text of a POST. */
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is in the HTTP client's hands. */
  readonly handedOver?: (() => void) | undefined;
}

export interface VenueResponse<Result> {
  readonly result: Result;
  /** Fields that the interface does not know: tolerated, counted. */
  readonly extraFields: number;
}

const decoder = new TextDecoder();

/**
 * One request to the venue. Rejects with VenueError for a readable no, and with TransportError `unknown` for everything that
 * leaves open whether it happened (5xx, unreadable answers, time-outs), `not-sent` when no byte left.
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
        `The venue's answer is not readable: ${decoded.reason}.`,
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

/** `Retry-After` in seconds (D11); undefined when absent or not a number. */
function retryAfterOf(response: HttpResponse): number | undefined {
  const text = response.headers["retry-after"];
  const seconds = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}

/** The base address without slashes at its end. */
export function baseAddress(rest: string): string {
  return rest.replace(/\/+$/, "");
}
