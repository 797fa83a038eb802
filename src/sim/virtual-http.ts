import { TransportError } from "../base/error.ts";
import type { TimerHandle } from "../ports/clock.ts";
import type { HttpRequest, HttpResponse } from "../ports/http.ts";
import type { ServerOptions, ServerResponse } from "../ports/server.ts";
import { hostOf, type VirtualTransport } from "./network-faults.ts";

const encoder = new TextEncoder();

const busyPage: ServerResponse = {
  status: 503,
  headers: { "content-type": "text/html" },
  body: "<html>503 Service Unavailable</html>",
};

/** One request through the virtual network. */
export function virtualRequest(
  network: VirtualTransport,
  request: HttpRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const url = URL.parse(request.url);
    const { faults, prng, timer } = network;
    const { signal } = request;
    const limit: { timer?: TimerHandle } = {};
    let isOver = false;
    let isSent = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      limit.timer?.cancel();
      signal?.removeEventListener("abort", onAbort);
      return true;
    };
    const fail = (code: string, what: string): void => {
      if (!end()) return;
      const outcome = isSent ? "unknown" : "not-sent";
      const path = url?.pathname ?? request.url;
      reject(new TransportError(outcome, code, `${request.method} ${path} ${what}.`));
    };
    const onAbort = (): void => fail("HTTP_ABORTED", "was aborted");
    const deliver = (response: ServerResponse): void => {
      network.deliver(() => {
        if (end()) resolve(clientResponse(response));
      });
    };

    if (url === null || signal?.aborted === true) {
      fail("HTTP_BAD_REQUEST", "cannot be made");
      return;
    }
    limit.timer = timer.after(request.timeoutMs, () => {
      fail("HTTP_TIMEOUT", `got no response within ${request.timeoutMs} ms`);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    if (faults.refuse || network.serverAt(hostOf(url)) === undefined) {
      timer.after(network.latencyMs(), () => fail("HTTP_FAILED", "failed: connection refused"));
      return;
    }
    isSent = true;
    if (prng.chance(faults.loseRequest)) return;
    const respond = async (response: Promise<ServerResponse>): Promise<void> => {
      const reply = await response;
      if (prng.chance(faults.loseResponse)) return;
      if (reply.cut === true || prng.chance(faults.cutResponse)) {
        network.deliver(() => fail("HTTP_FAILED", "failed: the connection broke"));
      } else {
        deliver(reply);
      }
    };
    const arrive = (): void => {
      const server = network.serverAt(hostOf(url));
      if (server === undefined) {
        fail("HTTP_FAILED", "failed: the server went away");
        return;
      }
      if (prng.chance(faults.unavailable)) {
        deliver(busyPage);
        return;
      }
      void respond(serve(server, request, url));
    };
    network.deliver(arrive);
    if (faults.duplicate > 0 && prng.chance(faults.duplicate)) network.deliver(arrive);
  });
}

function clientResponse({ status, headers, body }: ServerResponse): HttpResponse {
  return { status, headers: lowerCaseNames(headers), body: encoder.encode(body) };
}

async function serve(
  server: ServerOptions,
  request: HttpRequest,
  url: URL,
): Promise<ServerResponse> {
  const body = encoder.encode(request.body ?? "");
  const headers = lowerCaseNames(request.headers);
  return server.respond({
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: body.length > server.maxBodyBytes ? undefined : body,
  });
}

function lowerCaseNames(
  headers: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
