import { TransportError } from "../base/error.ts";
import { HOUR_MS } from "../domain/time.ts";
import type { TimerHandle } from "../ports/clock.ts";
import type { HttpRequest, HttpResponse } from "../ports/http.ts";
import type { ServerOptions, ServerResponse } from "../ports/server.ts";
import { encodeFailure } from "../spec/envelope.ts";
import { hostOf, type NetworkFaults, type VirtualTransport } from "./network-faults.ts";

const encoder = new TextEncoder();

const busyPage: ServerResponse = {
  status: 503,
  headers: { "content-type": "text/html" },
  body: "<html>503 Service Unavailable</html>",
};

/** With this probability a proxy refuses a request after it has passed it on. */
const PASSES_ON = 0.2;

/** Servers that stand before the venue know its envelope only for a 429: the venue's own limit, of which another copy of the request need not know. */
function proxyPage(faults: NetworkFaults): ServerResponse {
  const { proxyStatus, proxyRetryAfterSec, proxyKnowsEnvelope } = faults;
  const isReadable = proxyStatus === 429 && proxyKnowsEnvelope;
  return {
    status: proxyStatus,
    headers: {
      "content-type": isReadable ? "application/json" : "text/html",
      ...(proxyRetryAfterSec === 0 ? {} : { "retry-after": String(proxyRetryAfterSec) }),
    },
    body: isReadable
      ? encodeFailure("standard", proxyStatus, "too many requests")
      : `<html>${proxyStatus}</html>`,
  };
}

/** One request through the virtual network. */
export function virtualRequest(
  network: VirtualTransport,
  request: HttpRequest,
  isLost = false,
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
    if (prng.chance(faults.loseRequest) || isLost) return;
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
      if (faults.proxyRefusal > 0 && network.more.chance(faults.proxyRefusal)) {
        deliver(proxyPage(faults));
        if (network.more.chance(PASSES_ON)) void serve(server, request, url);
        return;
      }
      void respond(answer(network, request, url, () => serve(server, request, url)));
    };
    if (isLate(network, request)) {
      timer.after(faults.lateMs, () => network.deliver(arrive));
      return;
    }
    network.deliver(arrive);
    if (faults.duplicate > 0 && prng.chance(faults.duplicate)) network.deliver(arrive);
  });
}

function isLate({ faults, more }: VirtualTransport, { method }: HttpRequest): boolean {
  return method === "POST" && faults.lateRequest > 0 && more.chance(faults.lateRequest);
}

/** The server's response, after what a cache or a wrong clock before it makes of it. */
async function answer(
  network: VirtualTransport,
  { method, url }: HttpRequest,
  { pathname }: URL,
  serveIt: () => Promise<ServerResponse>,
): Promise<ServerResponse> {
  const { faults, cache } = network;
  if (method !== "GET") return serveIt();
  if (pathname.endsWith("/time")) return timeAnswer(faults, await serveIt());
  const cached = cache.get(url);
  const atMs = network.elapsedMs();
  if (cached !== undefined && atMs - cached.atMs < faults.cacheMs) return cached.response;
  const response = await serveIt();
  // A proxy keeps no failures.
  if (faults.cacheMs > 0 && response.status === 200) cache.set(url, { response, atMs });
  return response;
}

function timeAnswer(faults: NetworkFaults, response: ServerResponse): ServerResponse {
  const { wrongTime } = faults;
  if (wrongTime === "right" || response.status !== 200) return response;
  faults.wrongTime = "right";
  const wrong = (digits: string): string => {
    const timeMs = Number(digits);
    switch (wrongTime) {
      case "zero":
        return "0";
      case "seconds":
        return String(Math.floor(timeMs / 1000));
      case "hourAhead":
        return String(timeMs + HOUR_MS);
      case "hourBehind":
        return String(timeMs - HOUR_MS);
    }
  };
  return { ...response, body: response.body.replace(/\d{13}/, wrong) };
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
    connection: "virtual",
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
