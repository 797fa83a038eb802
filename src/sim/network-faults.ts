import type { Prng } from "../base/prng.ts";
import type { Timer } from "../ports/clock.ts";
import type { ServerOptions } from "../ports/server.ts";

/** What the network does to those who use it; every rate is a chance from 0 to 1. Changed at will while it runs. */
export interface NetworkFaults {
  /** One way, evenly between the two, milliseconds. */
  latencyMs: readonly [number, number];
  /** A request that never arrives: the client's time-out ends it. */
  loseRequest: number;
  /** A request that is served, but its answer never arrives. */
  loseResponse: number;
  /** The same, but the client sees the connection break at once. */
  cutResponse: number;
  /** A request that arrives twice; the client gets the answer that comes first. */
  duplicate: number;
  /** A proxy answers 503 with a page of its own instead of passing the request on. */
  unavailable: number;
  /** One that is late by so much, at this chance. */
  spikeMs: number;
  spike: number;
  /** Nobody can connect and no request leaves; what is connected stays. */
  refuse: boolean;
  /** Nothing arrives and nobody is told. A socket that lost a message to it stays half-open, even after the thaw. */
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

/** Host and port of an address, the port of its scheme where it names none. */
export function hostOf(url: URL): string {
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  return `${url.hostname}:${url.port === "" ? (isSecure ? 443 : 80) : url.port}`;
}

/** What requests and sockets need of the network that carries them. */
export interface Carrier {
  readonly timer: Timer;
  readonly prng: Prng;
  readonly faults: NetworkFaults;
  /** Who listens at a host and port. */
  serverAt(host: string): ServerOptions | undefined;
  /** Time a message takes, one way. */
  latencyMs(): number;
  /** Runs `deliver` after the latency, unless the network is frozen when it would arrive. */
  deliver(deliver: () => void): void;
}
