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

/**
 * Why a page may not open a WebSocket; undefined when it may. Browsers let a page of any origin connect and name the origin, so the
 * server has to look. Programs send no origin, and pages of the venue itself are welcome.
 */
export function refuseOrigin(
  allowed: string | null,
  { origin, host }: Readonly<Record<string, string>>,
): { readonly status: number; readonly errMsg: string } | undefined {
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
