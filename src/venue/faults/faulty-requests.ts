import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { ServerOptions, ServerRequest, ServerResponse } from "../../ports/server.ts";
import { cutConnection, type StruckRequest } from "./fault-kind.ts";
import type { FaultLine } from "./fault-line.ts";

/** Requests that wait at a time; beyond that a struck one is cut at once. */
const WAITING_MAX = 2000;

/** Requests on their way to the venue and back, through the faults of the schedule. */
export class FaultyRequests {
  readonly #lines: readonly FaultLine[];
  readonly #timer: Timer;
  readonly #waiting = new Map<() => void, TimerHandle>();
  /** Those who wait for the next request that is served. */
  readonly #overtaken = new Set<() => void>();

  constructor(lines: readonly FaultLine[], timer: Timer) {
    this.#lines = lines.filter(({ kind }) => kind.request !== undefined);
    this.#timer = timer;
  }

  respond(
    request: ServerRequest,
    serve: ServerOptions["respond"],
  ): ServerResponse | Promise<ServerResponse> {
    const subject = `${request.method} ${request.path}`;
    const struck = this.#lines.filter((line) => line.strikes(subject));
    if (struck.length === 0) return this.#served(serve(request));
    if (this.#waiting.size >= WAITING_MAX) return cutConnection;
    let next = async (): Promise<ServerResponse> => this.#served(serve(request));
    for (const line of struck.toReversed()) {
      const inner = next;
      next = () => this.#strike(line, inner);
    }
    return next();
  }

  /** Lets everything that waits go on. */
  stop(): void {
    for (const [resolve, handle] of [...this.#waiting]) {
      handle.cancel();
      resolve();
    }
  }

  async #strike(
    { kind, options, random }: FaultLine,
    serve: StruckRequest["serve"],
  ): Promise<ServerResponse> {
    const request: StruckRequest = {
      random,
      serve,
      wait: (ms) => this.#wait(ms),
      nextServed: (limitMs) => this.#wait(limitMs, this.#overtaken),
    };
    return kind.request?.(request, options) ?? serve();
  }

  #served<Answer>(answer: Answer): Answer {
    const overtaken = [...this.#overtaken];
    this.#overtaken.clear();
    // Later than the answer that is being made.
    for (const resolve of overtaken) this.#timer.soon(resolve);
    return answer;
  }

  /** Resolves after so long, or when somebody calls what it leaves in `early`. */
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
