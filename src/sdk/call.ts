import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { requestVenue, type VenuePlace } from "../gateway/request.ts";
import type { CallOptions } from "../gateway/venue-client.ts";
import type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
import { throwIfAborted } from "./abort.ts";

/** The input of a call: the query of a GET, the body of a POST. */
export type InputOf<E extends Endpoint> =
  E extends Endpoint<z.ZodType, infer Body>
    ? [Body] extends [z.ZodUndefined]
      ? QueryOf<E>
      : z.input<Body>
    : never;

/** A venue to call. */
export interface VenueConnection extends VenuePlace {
  /** Time-out of calls without one of their own. Default 5 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;

/** Like `callVenue`, for GET endpoints only. Its type also fits callers that are generic over the endpoint. */
export function queryVenue<E extends Endpoint>(
  venue: VenueConnection,
  endpoint: E,
  query: QueryOf<E>,
  options: CallOptions = {},
): Promise<ResultOf<E>> {
  return callVenue(venue, endpoint, query as InputOf<E>, options);
}

/**
 * Calls one endpoint. Rejects with VenueError (a refusal, so nothing was done) or with TransportError, whose `outcome` says
 * whether the venue may have accepted the request. The result is as on the wire: amounts and prices are text.
 */
export async function callVenue<E extends Endpoint>(
  venue: VenueConnection,
  endpoint: E,
  input: InputOf<E>,
  options: CallOptions = {},
): Promise<ResultOf<E>> {
  throwIfAborted(options.signal);
  if (endpoint.method === "GET") refuseUnknown(endpoint, input as object);
  const { result } = await requestVenue(venue, endpoint, {
    ...(endpoint.method === "GET" ? { query: input as object } : { body: JSON.stringify(input) }),
    timeoutMs: options.timeoutMs ?? venue.timeoutMs ?? TIMEOUT_MS,
    signal: options.signal,
  });
  return result;
}

/** The venue ignores a parameter that it does not know, so a misspelt filter would return everything. */
function refuseUnknown({ name, query }: Endpoint, input: object): void {
  if (!(query instanceof z.ZodObject)) return;
  const known = Object.keys(query.shape);
  const unknown = Object.keys(input).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TouchlineError("QUERY_INVALID", `${name} has no parameter ${unknown}.`, {
    hint: known.length === 0 ? "It has none." : `It takes ${known.join(", ")}.`,
  });
}
