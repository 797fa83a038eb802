import type { Timer } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { Socket, SocketConnector } from "../ports/socket.ts";

/**
 * A process in the simulation, whose timers and connections end with it. Messages already handed to the network still arrive, as
 * after a real kill, but no code of the process runs again.
 */
export class VirtualProcess {
  readonly #outer: {
    readonly timer: Timer;
    readonly http: Http;
    readonly connector: SocketConnector;
  };
  readonly #sockets = new Set<Socket>();
  #isDead = false;

  constructor(outer: {
    readonly timer: Timer;
    readonly http: Http;
    readonly connector: SocketConnector;
  }) {
    this.#outer = outer;
  }

  /** Kills it as kill -9 does. */
  kill(): void {
    this.#isDead = true;
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }

  readonly timer: Timer = {
    after: (delayMs, run) => this.#outer.timer.after(delayMs, this.#alive(run)),
    soon: (run) => this.#outer.timer.soon(this.#alive(run)),
  };

  readonly http: Http = {
    // Requests of a dead process never settle.
    request: (request) =>
      new Promise((resolve, reject) => {
        if (this.#isDead) return;
        this.#outer.http.request(request).then(this.#alive(resolve), this.#alive(reject));
      }),
    close: () => this.#outer.http.close(),
  };

  readonly connector: SocketConnector = {
    connect: (url, handlers) => {
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

  #alive<Values extends unknown[]>(run: (...values: Values) => void): (...values: Values) => void {
    return (...values) => {
      if (!this.#isDead) run(...values);
    };
  }
}
