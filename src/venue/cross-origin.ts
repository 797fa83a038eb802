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

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
};
