import { SharedBacklog } from "../../base/shared-backlog.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { ServerSocket } from "../../ports/server.ts";
import type { StreamLimits } from "../../spec/limits.ts";

/** A client with more unsent bytes than this is dropped (D27). */
const BUFFERED_MAX = 16 * 1024 * 1024;
/** Unsent bytes of all clients together, from which the slowest are dropped. */
const ALL_BUFFERED_MAX = 128 * 1024 * 1024;

/** What all connections of a venue share. */
export interface ConnectionContext {
  readonly timer: Timer;
  readonly limits: StreamLimits;
  /** Bounds what all clients together have not read. */
  readonly unread: SharedBacklog<Connection>;
}

export function connectionContext(timer: Timer, limits: StreamLimits): ConnectionContext {
  const unread = new SharedBacklog<Connection>(
    ALL_BUFFERED_MAX,
    (connection) => connection.bufferedBytes,
    (connection) => connection.drop("all slow clients together have too much to read"),
  );
  return { timer, limits, unread };
}

/** One client's socket with its heartbeat, its maximum lifetime, and the limit on unsent bytes (§6.1, D27, D36). */
export class Connection {
  /** The keys of the subscribed channels. */
  readonly channels = new Set<string>();
  readonly #socket: ServerSocket;
  readonly #timer: Timer;
  readonly #limits: StreamLimits;
  readonly #unread: SharedBacklog<Connection>;
  readonly #dropped: (reason: string) => void;
  readonly #lifetime: TimerHandle;
  #nextPing: TimerHandle;
  /** Runs from the first unanswered ping. */
  #pongDeadline: TimerHandle | undefined;
  #isOpen = true;

  /** `dropped` is called with the reason when the venue cuts the connection. */
  constructor(
    socket: ServerSocket,
    { timer, limits, unread }: ConnectionContext,
    dropped: (reason: string) => void,
  ) {
    this.#socket = socket;
    this.#timer = timer;
    this.#limits = limits;
    this.#unread = unread;
    this.#dropped = dropped;
    this.#nextPing = timer.after(limits.pingIntervalMs, () => this.#ping());
    this.#lifetime = timer.after(limits.lifetimeMs, () => {
      socket.close(1000, "the connection is as old as one may get");
    });
  }

  send(text: string): void {
    if (!this.#isOpen) return;
    this.#socket.send(text);
    if (this.#socket.bufferedBytes > BUFFERED_MAX) this.drop("it does not read what it is sent");
    else this.#unread.note(this);
  }

  /** Bytes that the client has not read. */
  get bufferedBytes(): number {
    return this.#socket.bufferedBytes;
  }

  pong(): void {
    this.#pongDeadline?.cancel();
    this.#pongDeadline = undefined;
  }

  /** Closes the connection because the venue shuts down. */
  goingAway(): void {
    this.#socket.close(1001, "the venue is shutting down");
  }

  /** Stops sending, and stops all timers. */
  closed(): void {
    this.#isOpen = false;
    this.#unread.forget(this);
    this.#nextPing.cancel();
    this.#lifetime.cancel();
    this.#pongDeadline?.cancel();
  }

  #ping(): void {
    this.#socket.ping();
    this.#pongDeadline ??= this.#timer.after(this.#limits.pongDeadlineMs, () => {
      this.drop("it did not respond to a ping");
    });
    this.#nextPing = this.#timer.after(this.#limits.pingIntervalMs, () => this.#ping());
  }

  /** Cuts the connection. */
  drop(reason: string): void {
    if (!this.#isOpen) return;
    this.closed();
    this.#dropped(reason);
    this.#socket.terminate();
  }
}
