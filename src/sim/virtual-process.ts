import type { Timer } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { Socket, SocketConnector } from "../ports/socket.ts";

/**
 * A process in the simulation: its timers and connections die with it. What was handed to the network before goes on and
 * arrives, as with a real kill; nothing of the process ever runs again.
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

  /** kill -9. */
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
    // A promise that a dead process waits for is never settled.
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
