import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { ServerOptions, ServerRequest, ServerResponse } from "../../ports/server.ts";
import { cutConnection, type StruckRequest } from "./fault-kind.ts";
import type { FaultLine } from "./fault-line.ts";

/** Most requests that wait at a time; beyond that, a struck request is cut at once. */
const WAITING_MAX = 2000;

/** Passes requests and their responses through the faults of the schedule. */
export class FaultyRequests {
  readonly #lines: readonly FaultLine[];
  readonly #timer: Timer;
  readonly #waiting = new Map<() => void, TimerHandle>();
  /** Callbacks that wait for the next served request. */
  readonly #overtaken = new Set<() => void>();

  constructor(lines: readonly FaultLine[], timer: Timer) {
    this.#lines = lines;
    this.#timer = timer;
  }

  respond(
    request: ServerRequest,
    serve: ServerOptions["respond"],
  ): ServerResponse | Promise<ServerResponse> {
    return this.#serveThrough(0, `${request.method} ${request.path}`, () =>
      this.#served(serve(request)),
    );
  }

  /** Releases all waiting requests. */
  stop(): void {
    for (const [resolve, handle] of this.#waiting) {
      handle.cancel();
      resolve();
    }
  }

  /** Passes a request through the lines from number `from` on; lines that it does not reach draw no random numbers. */
  #serveThrough(
    from: number,
    subject: string,
    serve: () => ServerResponse | Promise<ServerResponse>,
  ): ServerResponse | Promise<ServerResponse> {
    for (let at = from; at < this.#lines.length; at += 1) {
      const line = this.#lines[at];
      if (line?.kind.request === undefined || !line.strikes(subject)) continue;
      if (this.#waiting.size >= WAITING_MAX) return cutConnection;
      const request: StruckRequest = {
        random: line.random,
        serve: async () => this.#serveThrough(at + 1, subject, serve),
        wait: (ms) => this.#wait(ms),
        nextServed: (limitMs) => this.#wait(limitMs, this.#overtaken),
      };
      return line.kind.request(request, line.options);
    }
    return serve();
  }

  #served<Response>(response: Response): Response {
    const overtaken = [...this.#overtaken];
    this.#overtaken.clear();
    // After the response that is being created.
    for (const resolve of overtaken) this.#timer.soon(resolve);
    return response;
  }

  /** Resolves after `ms`, or earlier when the callback that it adds to `early` is called. */
  #wait(ms: number, early?: Set<() => void>): Promise<void> {
    return new Promise((done) => {
      const resolve = (): void => {
        this.#waiting.get(resolve)?.cancel();
        this.#waiting.delete(resolve);
        early?.delete(resolve);
        done();
      };
      this.#waiting.set(resolve, this.#timer.after(ms, resolve));
      early?.add(resolve);
    });
  }
}
