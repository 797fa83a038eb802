import { TouchlineError } from "../base/error.ts";
import { Prng } from "../base/prng.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Http, HttpRequest, HttpResponse } from "../ports/http.ts";
import type { RunningServer, ServerFactory, ServerOptions } from "../ports/server.ts";
import type { SocketConnector } from "../ports/socket.ts";
import {
  noFaults,
  type CachedResponse,
  type NetworkFaults,
  type VirtualTransport,
} from "./network-faults.ts";
import { virtualRequest } from "./virtual-http.ts";
import { VirtualSocket } from "./virtual-socket.ts";

/** HTTP and WebSockets in memory, with seeded latency and faults, for a simulated bot and venue. */
export class VirtualNetwork implements VirtualTransport {
  readonly timer: Timer;
  readonly prng: Prng;
  readonly more: Prng;
  readonly faults: NetworkFaults = { ...noFaults };
  alwaysDouble = 0;
  silentChannel = "";
  readonly cache = new Map<string, CachedResponse>();
  readonly #clock: Pick<Clock, "monotonicUs">;
  readonly #servers = new Map<string, ServerOptions>();
  readonly #sockets = new Set<VirtualSocket>();
  #nextPort = 20_000;

  constructor(options: {
    readonly timer: Timer & Pick<Clock, "monotonicUs">;
    readonly prng: Prng;
    /** Default: seeded with 1. */
    readonly more?: Prng;
  }) {
    this.timer = options.timer;
    this.#clock = options.timer;
    this.prng = options.prng;
    this.more = options.more ?? new Prng(1);
  }

  elapsedMs(): number {
    return this.#clock.monotonicUs() / 1000;
  }

  readonly http: Http = {
    request: (request) => virtualRequest(this, request),
    close: async () => undefined,
  };

  /** A request that never arrives. */
  lost(request: HttpRequest): Promise<HttpResponse> {
    return virtualRequest(this, request, true);
  }

  readonly connector: SocketConnector = {
    connect: (url, handlers) => {
      const socket = new VirtualSocket(this, handlers, (closed) => this.#sockets.delete(closed));
      this.#sockets.add(socket);
      socket.connectTo(url);
      return socket.client;
    },
  };

  readonly servers: ServerFactory = {
    listen: async (options) => this.#listen(options),
  };

  serverAt(host: string): ServerOptions | undefined {
    return this.#servers.get(host);
  }

  /** Breaks every WebSocket; both ends notice. */
  cutSockets(): void {
    for (const socket of this.#sockets) socket.cut();
  }

  /** Makes every WebSocket half-open: messages are lost, and neither end notices. */
  makeSocketsHalfOpen(): void {
    for (const socket of this.#sockets) socket.makeHalfOpen();
  }

  /** The venue forgets the subscriptions of every open WebSocket to channels of this kind, e.g. `depth`; undefined: it remembers them. */
  loseChannels(kind: string | undefined): void {
    for (const socket of this.#sockets) socket.loseChannels(kind);
  }

  /** Draws the one-way latency of a message, in ms. */
  latencyMs(): number {
    const { latencyMs, spike, spikeMs } = this.faults;
    const [low, high] = latencyMs;
    const extraMs = this.prng.chance(spike) ? spikeMs : 0;
    return low + (high - low) * this.prng.unit() + extraMs;
  }

  /** Runs `deliver` after the latency, unless the network is frozen when it would arrive. */
  deliver(deliver: () => void): void {
    this.timer.after(this.latencyMs(), () => {
      if (!this.faults.frozen) deliver();
    });
  }

  #listen(options: ServerOptions): RunningServer {
    const port = options.port === 0 ? (this.#nextPort += 1) : options.port;
    const host = `${options.host}:${port}`;
    if (this.#servers.has(host)) {
      throw new TouchlineError("PORT_TAKEN", `Port ${port} on ${options.host} is in use.`);
    }
    this.#servers.set(host, options);
    return {
      host: options.host,
      port,
      close: async () => {
        this.#servers.delete(host);
        for (const socket of this.#sockets) if (socket.host === host) socket.cut();
      },
    };
  }
}
