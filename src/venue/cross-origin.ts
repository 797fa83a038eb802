import { isLoopback } from "../base/loopback.ts";
import type { ServerRequest, ServerResponse } from "../ports/server.ts";

/**
 * Lets pages of another origin read the venue's responses (Fetch standard, "CORS protocol"). Browsers send an OPTIONS request before
 * they post JSON. `origin` is an origin or `*`; with null, no headers are added and other origins can read nothing.
 */
export function acrossOrigins(
  origin: string | null,
  request: ServerRequest,
  serve: (request: ServerRequest) => ServerResponse | Promise<ServerResponse>,
): ServerResponse | Promise<ServerResponse> {
  if (origin === null) return serve(request);
  if (request.method === "OPTIONS" && "access-control-request-method" in request.headers) {
    const headers = { "access-control-allow-origin": origin, ...preflightHeaders };
    return { status: 204, headers, body: "" };
  }
  const marked = (response: ServerResponse): ServerResponse => ({
    ...response,
    headers: {
      ...response.headers,
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "retry-after",
    },
  });
  const response = serve(request);
  return response instanceof Promise ? response.then(marked) : marked(response);
}

/** Names under which a venue is reached. */
export interface HostNames {
  /** The address that it listens on. */
  readonly host: string;
  readonly allowHosts: readonly string[];
}

/**
 * Why a request is not served because of its Host; undefined when it is. A page whose own name was pointed at this machine (DNS rebinding)
 * counts as the venue's own for its browser, which only the name in Host tells from the venue's pages.
 */
export function refuseHost(
  { host, allowHosts }: HostNames,
  headers: Readonly<Record<string, string>>,
): Refusal | undefined {
  // Programs of HTTP/1.0 name no host. Browsers always do.
  const name = (headers["host"] ?? "").replace(/:\d+$/, "").toLowerCase();
  if (name === "" || isLoopback(name) || name === host || name === `[${host}]`) return undefined;
  // No page has such a name: those that anybody can buy have a dot.
  if (!name.includes(".") && !name.includes(":")) return undefined;
  if (allowHosts.some((allowed) => allowed.toLowerCase() === name)) return undefined;
  // For other machines it may have any of this one's names.
  if (!isLoopback(host) && allowHosts.length === 0) return undefined;
  return { status: 421, errMsg: "The venue has no such host name; see allowHosts." };
}

interface Refusal {
  readonly status: number;
  readonly errMsg: string;
}

/**
 * Why a page may not open a WebSocket; undefined when it may. Browsers let a page of any origin connect and name the origin, so the
 * server has to look. Programs send no origin, and pages of the venue itself are welcome.
 */
export function refuseOrigin(
  allowed: string | null,
  { origin, host }: Readonly<Record<string, string>>,
): Refusal | undefined {
  if (origin === undefined || allowed === "*" || allowed?.toLowerCase() === origin.toLowerCase()) {
    return undefined;
  }
  if (URL.parse(origin)?.host === host?.toLowerCase()) return undefined;
  return { status: 403, errMsg: "Pages of this origin may not connect; see allowOrigin." };
}

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
};
