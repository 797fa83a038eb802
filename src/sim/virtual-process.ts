import { TransportError } from "../base/error.ts";
import type { Timer } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { Socket, SocketConnector } from "../ports/socket.ts";
import type { Store } from "../ports/store.ts";
import { processStore } from "./process-store.ts";

/** The simulation around a process. */
interface Surroundings {
  readonly timer: Timer;
  readonly http: Http;
  readonly connector: SocketConnector;
  /** Milliseconds since the simulation started; left out for a process that is never blocked. */
  readonly elapsedMs?: () => number;
}

/** A timer may fire this much before a sum of doubles says. */
const NOISE_MS = 1e-6;

function httpClosed(outcome: "not-sent" | "unknown"): TransportError {
  return new TransportError(outcome, "HTTP_CLOSED", "The HTTP client is closed.");
}

/** What a connection does that a killed process makes. */
const noSocket: Socket = {
  send: () => undefined,
  ping: () => undefined,
  close: () => undefined,
  terminate: () => undefined,
};

/**
 * A process in the simulation, whose timers and connections end with it. Messages already handed to the network still arrive, as
 * after a real kill. Promises that the event of the kill has settled still continue in its code, which reaches nothing outside by then.
 */
export class VirtualProcess {
  readonly #outer: Surroundings;
  readonly #sockets = new Set<Socket>();
  #isDead = false;
  /** Fails the requests that are under way once its HTTP client is closed. */
  readonly #underWay = new Set<() => void>();
  #isHttpClosed = false;
  /** When the newest call returns that blocks the process, on the clock of `elapsedMs`. */
  #awakeMs = Number.NEGATIVE_INFINITY;
  /** When the newest time began in which the process does not return, on the same clock. */
  #blockedSinceMs = Number.NEGATIVE_INFINITY;
  /** What happens once the process is no longer blocked. */
  #held: (() => void)[] = [];

  constructor(outer: Surroundings) {
    this.#outer = outer;
  }

  /**
   * A call blocks the process for `ms`: what it sends from now on leaves after that, and what arrives waits as long. Its own clock is to
   * be ahead of the simulation's by `aheadMs`, so that the code behind the call sees the time at which the call returns.
   */
  block(ms: number): void {
    const { timer } = this.#outer;
    if (!this.isBlocked) this.#blockedSinceMs = this.#nowMs();
    this.#awakeMs = this.#nowMs() + this.aheadMs + ms;
    timer.after(this.aheadMs, () => {
      if (this.isBlocked) return;
      // Each on a turn of its own, since promises come between.
      for (const run of this.#held.splice(0)) timer.soon(run);
    });
  }

  #nowMs(): number {
    return this.#outer.elapsedMs?.() ?? 0;
  }

  get isBlocked(): boolean {
    return this.aheadMs > 0;
  }

  /** Since when the process has not returned, on the clock of `elapsedMs`; undefined while it is not blocked. */
  get blockedSinceMs(): number | undefined {
    return this.isBlocked ? this.#blockedSinceMs : undefined;
  }

  /** For how long the process is still blocked, ms. */
  get aheadMs(): number {
    const ms = this.#awakeMs - this.#nowMs();
    return ms > NOISE_MS ? ms : 0;
  }

  /** Runs something of the process as soon as it is not blocked, unless it was killed. */
  run(what: () => void): void {
    this.#alive(what)();
  }

  /** Whether it was killed. */
  get isDead(): boolean {
    return this.#isDead;
  }

  /** Kills it as kill -9 does. */
  kill(): void {
    this.#isDead = true;
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }

  readonly timer: Timer = {
    after: (delayMs, run) => this.#outer.timer.after(delayMs + this.aheadMs, this.#alive(run)),
    soon: (run) => this.#outer.timer.soon(this.#alive(run)),
  };

  /** Its HTTP client closes: requests under way fail, and no other one leaves. */
  closeHttp(): void {
    this.#isHttpClosed = true;
    for (const fail of this.#underWay) fail();
    this.#underWay.clear();
  }

  readonly http: Http = {
    // Requests of a dead process never settle.
    request: (request) =>
      new Promise((resolve, reject) => {
        this.run(() => {
          if (this.#isHttpClosed) {
            reject(httpClosed("not-sent"));
            return;
          }
          const fail = (): void => reject(httpClosed("unknown"));
          this.#underWay.add(fail);
          const settled = <Value>(settle: (value: Value) => void): ((value: Value) => void) =>
            this.#alive((value) => {
              this.#underWay.delete(fail);
              settle(value);
            });
          this.#outer.http.request(request).then(settled(resolve), settled(reject));
        });
      }),
    close: () => this.#outer.http.close(),
  };

  readonly connector: SocketConnector = {
    connect: (url, handlers) => {
      if (this.#isDead) return noSocket;
      const socket = this.#outer.connector.connect(url, {
        opened: this.#alive(() => handlers.opened()),
        frame: this.#alive((data: Uint8Array) => handlers.frame(data)),
        pong: this.#alive(() => handlers.pong()),
        closed: this.#alive((code: number, reason: string) => {
          this.#sockets.delete(socket);
          handlers.closed(code, reason);
        }),
      });
      this.#sockets.add(socket);
      return socket;
    },
  };

  /** The disk as this process has it. */
  storeOn(disk: Store): Store {
    return processStore(disk, () => this.#isDead);
  }

  #alive<Values extends unknown[]>(run: (...values: Values) => void): (...values: Values) => void {
    return (...values) => {
      if (this.#isDead) return;
      if (this.isBlocked) this.#held.push(() => this.#alive(run)(...values));
      else run(...values);
    };
  }
}
