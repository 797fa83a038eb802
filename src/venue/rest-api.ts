import type { Result } from "../base/result.ts";
import { addressOf } from "../domain/ids.ts";
import type { ServerRequest, ServerResponse } from "../ports/server.ts";
import type { Endpoint } from "../spec/endpoint.ts";
import { type EndpointName, endpoints } from "../spec/endpoints.ts";
import { encodeFailure, encodeSuccess } from "../spec/envelope.ts";
import { BODY_BYTES_MAX } from "../spec/limits.ts";
import { problemOf } from "../spec/problem.ts";
import type { Failure } from "./failure.ts";
import { handlers } from "./handlers.ts";
import { Router } from "./router.ts";
import { takeRate } from "./take-rate.ts";
import type { VenueContext } from "./venue-context.ts";

type AnyHandler = (
  context: VenueContext,
  query: unknown,
  body: unknown,
) => Result<unknown, Failure>;

// A byte order mark stays in the text, so that parsing it as JSON fails.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const router = new Router<EndpointName>(endpoints);

/** Serves one REST request (§4, D11): route, codecs, limits, handler, envelope. */
export function serveRest(context: VenueContext, request: ServerRequest): ServerResponse {
  const route = router.find(request.method, request.path);
  if (route.type === "path") {
    return refuse("standard", { code: 404, errMsg: `There is no ${request.path.slice(0, 200)}.` });
  }
  if (route.type === "method") {
    const envelope = envelopeOf(route.names[0]);
    const errMsg = `${request.path} takes ${route.allowed.join(" and ")} only.`;
    return refuse(envelope, { code: 405, errMsg }, { allow: route.allowed.join(", ") });
  }
  const endpoint: Endpoint = endpoints[route.name];
  if (request.body === undefined) {
    return refuse(endpoint.envelope, {
      code: 413,
      errMsg: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
    });
  }

  const query = decodeQuery(endpoint, request.query, route.parameters);
  if (!query.ok) return refuse(endpoint.envelope, query.error);
  const body = decodeBody(endpoint, request.body);
  if (!body.ok) return refuse(endpoint.envelope, body.error);
  const limited = limitReads(context, request);
  if (limited !== undefined) return refuse(endpoint.envelope, limited);

  // The table of handlers is typed by endpoint; here the name is only known at run time.
  const handler = handlers[route.name] as AnyHandler;
  const result = handler(context, query.value, body.value);
  if (!result.ok) return refuse(endpoint.envelope, result.error);
  return { status: 200, headers: json, body: encodeSuccess(endpoint, result.value) };
}

const json = { "content-type": "application/json" };

/** The same failure for every request. */
export function refuseAll(failure: Failure): ServerResponse {
  return refuse("standard", failure);
}

function refuse(
  envelope: Endpoint["envelope"],
  { code, errMsg, retryAfterSec }: Failure,
  more: Readonly<Record<string, string>> = {},
): ServerResponse {
  const retry = retryAfterSec === undefined ? {} : { "retry-after": String(retryAfterSec) };
  return {
    status: code,
    headers: { ...json, ...retry, ...more },
    body: encodeFailure(envelope, code, errMsg),
  };
}

function envelopeOf(name: EndpointName | undefined): Endpoint["envelope"] {
  return name === undefined ? "standard" : endpoints[name].envelope;
}

function decodeQuery(
  endpoint: Endpoint,
  given: URLSearchParams,
  parameters: Readonly<Record<string, string>>,
): Result<unknown, Failure> {
  const fields: Record<string, string> = {};
  for (const [name, value] of given) {
    if (Object.hasOwn(fields, name))
      return { ok: false, error: { code: 400, errMsg: `${name.slice(0, 40)} is given twice.` } };
    fields[name] = value;
  }
  const query = endpoint.query.safeParse({ ...fields, ...parameters });
  if (query.success) return { ok: true, value: query.data };
  return { ok: false, error: { code: 400, errMsg: `${problemOf(query.error, "query")}.` } };
}

function decodeBody(endpoint: Endpoint, bytes: Uint8Array): Result<unknown, Failure> {
  if (endpoint.body === undefined) return { ok: true, value: undefined };
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { ok: false, error: { code: 400, errMsg: "The body is not JSON." } };
  }
  const body = endpoint.body.safeParse(value);
  if (body.success) return { ok: true, value: body.data };
  return { ok: false, error: { code: 400, errMsg: `${problemOf(body.error, "body")}.` } };
}

/**
 * Reads count against the address they query; a connection that keeps to its share gets through also when others have used up that rate,
 * since nothing proves that their reads are the address's own. Signed requests count against their signer once it is recovered.
 */
function limitReads(context: VenueContext, request: ServerRequest): Failure | undefined {
  const address = request.method === "GET" ? request.query.get("address") : null;
  if (address === null) return undefined;
  const nowMs = context.clock.nowMs();
  const limited = takeRate(context, `address ${addressOf(address) ?? "unknown"}`);
  return context.readShare.take(request.connection, nowMs).ok ? undefined : limited?.error;
}
