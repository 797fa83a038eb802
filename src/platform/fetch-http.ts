import { TransportError } from "../base/error.ts";
import type { Http, HttpRequest, HttpResponse } from "../ports/http.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * HTTP through the global `fetch`, for programs without Node's libraries. `fetch` does not report when bytes leave, so only a
 * request aborted before it began is `not-sent`; every other failure is `unknown`. Responses longer than `maxBytes`, or 16 MiB, are cut off.
 */
export function fetchHttp(): Http {
  const closed = new AbortController();
  return {
    request: (request) => exchange(request, closed.signal),
    async close() {
      closed.abort();
    },
  };
}

async function exchange(request: HttpRequest, closed: AbortSignal): Promise<HttpResponse> {
  const { method, url, headers, body, timeoutMs } = request;
  if (closed.aborted || request.signal?.aborted === true) {
    throw new TransportError("not-sent", "HTTP_ABORTED", `${method} ${url} was aborted.`);
  }
  const deadline = AbortSignal.timeout(timeoutMs);
  const signals = [closed, deadline, ...(request.signal === undefined ? [] : [request.signal])];
  try {
    const response = await fetch(url, {
      method,
      redirect: "error",
      signal: AbortSignal.any(signals),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await bytesOf(response, request.maxBytes ?? MAX_BYTES),
    };
  } catch (cause) {
    const [code, what] = deadline.aborted
      ? (["HTTP_TIMEOUT", `got no response within ${timeoutMs} ms`] as const)
      : signals.some(({ aborted }) => aborted)
        ? (["HTTP_ABORTED", "was aborted"] as const)
        : (["HTTP_FAILED", `failed: ${cause instanceof Error ? cause.message : ""}`] as const);
    throw new TransportError("unknown", code, `${method} ${url} ${what}.`, { cause });
  }
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Some browsers cannot iterate over a stream.
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    size += part.value.length;
    if (size > maxBytes) {
      await reader?.cancel();
      throw new Error(`the response is longer than ${maxBytes} bytes`);
    }
    chunks.push(part.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
