import { unixMs } from "../domain/time.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Http, HttpRequest } from "../ports/http.ts";
import type { Socket, SocketConnector, SocketHandlers } from "../ports/socket.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { VirtualNetwork } from "./virtual-network.ts";

/**
 * One process of the simulation: the ports through which it sees the world, with a clock of its own that may be off, and an end
 * as sudden as kill -9. What it had sent before goes on its way; nothing that happens later reaches it.
 */
export class Actor {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly #sockets = new Set<Socket>();
  #isAlive = true;
  /** Its wall clock less the true one, milliseconds. */
  skewMs = 0;
  /** Sees each request just before it leaves. */
  requested: (request: HttpRequest) => void = () => undefined;

  constructor(time: VirtualClock, network: VirtualNetwork) {
    this.clock = {
      nowMs: () => unixMs(time.nowMs() + this.skewMs),
      monotonicUs: () => time.monotonicUs(),
    };
    this.timer = {
      after: (delayMs, run) => time.after(delayMs, () => this.#do(run)),
      soon: (run) => time.soon(() => this.#do(run)),
    };
    this.http = {
      request: (request) => this.#request(network, request),
      close: async () => undefined,
    };
    this.connector = {
      connect: (url, handlers) => this.#connect(network, url, handlers),
    };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** The operating system closes its sockets; timers and answers find nobody. */
  kill(): void {
    this.#isAlive = false;
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }

  #do(run: () => void): void {
    if (this.#isAlive) run();
  }

  #request(network: VirtualNetwork, request: HttpRequest): ReturnType<Http["request"]> {
    // Somebody dead goes on to nothing: the promise stays open for good.
    return new Promise((resolve, reject) => {
      if (!this.#isAlive) return;
      this.requested(request);
      network.http.request(request).then(
        (response) => this.#do(() => resolve(response)),
        (thrown: Error) => this.#do(() => reject(thrown)),
      );
    });
  }

  #connect(network: VirtualNetwork, url: string, handlers: SocketHandlers): Socket {
    const socket = network.connector.connect(url, {
      opened: () => this.#do(() => handlers.opened()),
      frame: (data) => this.#do(() => handlers.frame(data)),
      pong: () => this.#do(() => handlers.pong()),
      closed: (code, reason) => {
        this.#sockets.delete(socket);
        this.#do(() => handlers.closed(code, reason));
      },
    });
    this.#sockets.add(socket);
    return socket;
  }
}
