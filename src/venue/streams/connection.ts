import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { ServerSocket } from "../../ports/server.ts";
import type { StreamLimits } from "../../spec/limits.ts";

/** A client whose unsent bytes pass this is dropped (D27). */
const BUFFERED_MAX = 16 * 1024 * 1024;

/** One client's socket: its heartbeat, its end of life, and the limit on what waits to be sent (§6.1, D27, D36). */
export class Connection {
  /** Channels subscribed, by their full name. */
  readonly channels = new Set<string>();
  readonly #socket: ServerSocket;
  readonly #timer: Timer;
  readonly #limits: StreamLimits;
  readonly #dropped: (reason: string) => void;
  readonly #lifetime: TimerHandle;
  #nextPing: TimerHandle;
  /** Runs from the first ping that is not answered yet. */
  #pongDeadline: TimerHandle | undefined;
  #isOpen = true;

  /** `dropped` hears why the venue cut the connection. */
  constructor(
    socket: ServerSocket,
    timer: Timer,
    limits: StreamLimits,
    dropped: (reason: string) => void,
  ) {
    this.#socket = socket;
    this.#timer = timer;
    this.#limits = limits;
    this.#dropped = dropped;
    this.#nextPing = timer.after(limits.pingIntervalMs, () => this.#ping());
    this.#lifetime = timer.after(limits.lifetimeMs, () => {
      socket.close(1000, "the connection is as old as one may get");
    });
  }

  send(text: string): void {
    if (!this.#isOpen) return;
    this.#socket.send(text);
    if (this.#socket.bufferedBytes > BUFFERED_MAX) this.#drop("it does not read what it is sent");
  }

  pong(): void {
    this.#pongDeadline?.cancel();
    this.#pongDeadline = undefined;
  }

  /** The venue is going away. */
  goingAway(): void {
    this.#socket.close(1001, "the venue is shutting down");
  }

  /** Nothing is sent and no timer runs any more. */
  closed(): void {
    this.#isOpen = false;
    this.#nextPing.cancel();
    this.#lifetime.cancel();
    this.#pongDeadline?.cancel();
  }

  #ping(): void {
    this.#socket.ping();
    this.#pongDeadline ??= this.#timer.after(this.#limits.pongDeadlineMs, () => {
      this.#drop("it did not answer a ping");
    });
    this.#nextPing = this.#timer.after(this.#limits.pingIntervalMs, () => this.#ping());
  }

  #drop(reason: string): void {
    if (!this.#isOpen) return;
    this.closed();
    this.#dropped(reason);
    this.#socket.terminate();
  }
}
