import type { Prng } from "../base/prng.ts";
import type { Timer } from "../ports/clock.ts";
import type { ServerOptions, ServerResponse } from "../ports/server.ts";

/** Faults of the network; rates are probabilities from 0 to 1. They may be changed while the network is in use. */
export interface NetworkFaults {
  /** Range of the one-way latency in ms, uniformly distributed. */
  latencyMs: readonly [number, number];
  /** The request never arrives, and the client's timeout ends it. */
  loseRequest: number;
  /** The first request to cancel an order never arrives. */
  loseFirstCancel: boolean;
  /** The request is served, but the response never arrives. */
  loseResponse: number;
  /** The request is served, but the connection breaks before the response. */
  cutResponse: number;
  /** The request arrives twice, and the client gets the first response. */
  duplicate: number;
  /** A proxy responds with status 503 and an HTML page instead of passing the request on. */
  unavailable: number;
  /** Extra latency of a message in ms, with probability `spike`. */
  spikeMs: number;
  spike: number;
  /** No connection is accepted and no request leaves; existing connections stay. */
  refuse: boolean;
  /** Messages are lost without an error. A socket that lost one stays half-open, even after the freeze. */
  frozen: boolean;
  /** A POST arrives `lateMs` after it was sent, long after its client gave up. */
  lateRequest: number;
  lateMs: number;
  /** A push on the stream never arrives, arrives twice, or arrives after the next one. The connection stays. */
  loseFrame: number;
  doubleFrame: number;
  swapFrame: number;
  /** No push of this channel arrives on any connection, e.g. `depth`; empty for none. */
  deadChannel: string;
  /** No push of this market's public channels arrives on any connection; empty for none. */
  deadMarket: string;
  /** A proxy responds with `proxyStatus`, `Retry-After` where `proxyRetryAfterSec` is not 0, and an HTML page or the venue's envelope. */
  proxyRefusal: number;
  proxyStatus: number;
  proxyRetryAfterSec: number;
  proxyKnowsEnvelope: boolean;
  /** What the next answer to `GET /time` becomes; that answer resets it to `right`. */
  wrongTime: WrongTime;
  /** A cache answers a GET, except `/time`, with its last response to the same address up to this age. */
  cacheMs: number;
}

/** `seconds` and `zero` are no times in milliseconds; the others are an hour off. */
export type WrongTime = "right" | "zero" | "seconds" | "hourAhead" | "hourBehind";

export const noFaults: Readonly<NetworkFaults> = {
  latencyMs: [0.1, 0.5],
  loseRequest: 0,
  loseFirstCancel: false,
  loseResponse: 0,
  cutResponse: 0,
  duplicate: 0,
  unavailable: 0,
  spikeMs: 0,
  spike: 0,
  refuse: false,
  frozen: false,
  lateRequest: 0,
  lateMs: 0,
  loseFrame: 0,
  doubleFrame: 0,
  swapFrame: 0,
  deadChannel: "",
  deadMarket: "",
  proxyRefusal: 0,
  proxyStatus: 0,
  proxyRetryAfterSec: 0,
  proxyKnowsEnvelope: false,
  wrongTime: "right",
  cacheMs: 0,
};

/** Host and port of an address, with the scheme's default port. */
export function hostOf(url: URL): string {
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  return `${url.hostname}:${url.port === "" ? (isSecure ? 443 : 80) : url.port}`;
}

export interface CachedResponse {
  readonly response: ServerResponse;
  /** On the clock of `elapsedMs`. */
  readonly atMs: number;
}

/** The network as requests and sockets see it. */
export interface VirtualTransport {
  readonly timer: Timer;
  readonly prng: Prng;
  /** Draws for faults that were added later, so that stored seeds keep the draws of `prng`. Used only while such a fault is on. */
  readonly more: Prng;
  readonly faults: NetworkFaults;
  /** Share of the pushes that arrive twice besides `faults.doubleFrame`. */
  readonly alwaysDouble: number;
  /** No push of this channel arrives in the whole world; empty for none. */
  readonly silentChannel: string;
  /** Responses to GETs by their address, for `cacheMs`. */
  readonly cache: Map<string, CachedResponse>;
  /** The server that listens at a host and port; undefined if there is none. */
  serverAt(host: string): ServerOptions | undefined;
  /** Milliseconds from an arbitrary start. */
  elapsedMs(): number;
  /** Draws the one-way latency of a message, in ms. */
  latencyMs(): number;
  /** Runs `deliver` after the latency, unless the network is frozen when it would arrive. */
  deliver(deliver: () => void): void;
}
