import type { Prng } from "../base/prng.ts";
import type { Timer } from "../ports/clock.ts";
import type { ServerOptions } from "../ports/server.ts";

/** Faults of the network; rates are probabilities from 0 to 1. They may be changed while the network is in use. */
export interface NetworkFaults {
  /** Range of the one-way latency in ms, uniformly distributed. */
  latencyMs: readonly [number, number];
  /** The request never arrives, and the client's timeout ends it. */
  loseRequest: number;
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
}

export const noFaults: Readonly<NetworkFaults> = {
  latencyMs: [0.1, 0.5],
  loseRequest: 0,
  loseResponse: 0,
  cutResponse: 0,
  duplicate: 0,
  unavailable: 0,
  spikeMs: 0,
  spike: 0,
  refuse: false,
  frozen: false,
};

/** Host and port of an address, with the scheme's default port. */
export function hostOf(url: URL): string {
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  return `${url.hostname}:${url.port === "" ? (isSecure ? 443 : 80) : url.port}`;
}

/** The network as requests and sockets see it. */
export interface VirtualTransport {
  readonly timer: Timer;
  readonly prng: Prng;
  readonly faults: NetworkFaults;
  /** The server that listens at a host and port; undefined if there is none. */
  serverAt(host: string): ServerOptions | undefined;
  /** Draws the one-way latency of a message, in ms. */
  latencyMs(): number;
  /** Runs `deliver` after the latency, unless the network is frozen when it would arrive. */
  deliver(deliver: () => void): void;
}
