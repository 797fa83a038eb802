import type { Clock, Timer, TimerHandle } from "../../ports/clock.ts";
import type { ServerSocket, ServerSocketHandlers } from "../../ports/server.ts";
import type { FaultLine } from "./fault-line.ts";

/** A message waiting to be sent. */
interface Delayed {
  readonly text: string;
  readonly dueUs: number;
}

/** A stream connection whose outgoing messages pass through the faults of the schedule. */
export class FaultyConnection implements ServerSocket {
  readonly #socket: ServerSocket;
  readonly #lines: readonly FaultLine[];
  readonly #timer: Timer;
  readonly #clock: Clock;
  /** Delayed messages, oldest first; later messages queue behind them, so that a delay does not reorder. */
  #delayed: Delayed[] = [];
  /** Characters in the queue. */
  #delayedLength = 0;
  #pending: TimerHandle | undefined;
  #overtaken: Delayed | undefined;
  #overtakenLimit: TimerHandle | undefined;
  #isFrozen = false;

  constructor(socket: ServerSocket, lines: readonly FaultLine[], timer: Timer, clock: Clock) {
    this.#socket = socket;
    this.#lines = lines;
    this.#timer = timer;
    this.#clock = clock;
  }

  /** The venue's view of the client. */
  handlers(venue: ServerSocketHandlers): ServerSocketHandlers {
    return {
      frame: (data, isBinary) => {
        if (!this.#isFrozen) venue.frame(data, isBinary);
      },
      pong: () => {
        if (!this.#isFrozen) venue.pong();
      },
      closed: () => {
        this.#end();
        venue.closed();
      },
    };
  }

  send(text: string): void {
    if (!this.#isFrozen) this.#sendThrough(0, text, subjectOf(text), 0);
  }

  /** Passes a message through the lines from number `from` on; lines that it does not reach draw no random numbers. */
  #sendThrough(from: number, text: string, subject: string, delayMs: number): void {
    for (let at = from; at < this.#lines.length; at += 1) {
      const line = this.#lines[at];
      if (line?.kind.message === undefined || !line.strikes(subject)) continue;
      const onwards = (moreMs: number): void =>
        this.#sendThrough(at + 1, text, subject, delayMs + moreMs);
      line.kind.message(
        {
          random: line.random,
          send: () => onwards(0),
          sendLater: onwards,
          sendAfterNext: (limitMs) => this.#hold(text, limitMs),
          close: (code, reason) => this.#socket.close(code, reason),
          freeze: () => this.freeze(),
        },
        line.options,
      );
      return;
    }
    this.#sendInTurn(text, delayMs);
  }

  ping(): void {
    if (!this.#isFrozen) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    if (!this.#isFrozen) this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#end();
    this.#socket.terminate();
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#end();
    this.#socket.freeze();
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedBytes + this.#delayedLength;
  }

  #sendInTurn(text: string, delayMs: number): void {
    if (delayMs === 0 && this.#delayed.length === 0) {
      this.#sendNow(text);
      return;
    }
    const last = this.#delayed.at(-1);
    const dueUs = Math.max(last?.dueUs ?? 0, this.#clock.monotonicUs() + delayMs * 1000);
    this.#delayed.push({ text, dueUs });
    this.#delayedLength += text.length;
    this.#arm();
  }

  #arm(): void {
    const [next] = this.#delayed;
    if (next === undefined || this.#pending !== undefined) return;
    const waitMs = Math.max(0, (next.dueUs - this.#clock.monotonicUs()) / 1000);
    this.#pending = this.#timer.after(waitMs, () => {
      this.#pending = undefined;
      const nowUs = this.#clock.monotonicUs();
      let due = 0;
      while ((this.#delayed[due]?.dueUs ?? Number.POSITIVE_INFINITY) <= nowUs + 1) due += 1;
      for (const { text } of this.#delayed.splice(0, due)) {
        this.#delayedLength -= text.length;
        this.#sendNow(text);
      }
      this.#arm();
    });
  }

  #sendNow(text: string): void {
    this.#socket.send(text);
    this.#release();
  }

  #hold(text: string, limitMs: number): void {
    // One at a time: two messages that wait for each other would only be late.
    this.#release();
    this.#overtaken = { text, dueUs: 0 };
    this.#overtakenLimit = this.#timer.after(limitMs, () => this.#release());
  }

  #release(): void {
    const held = this.#overtaken;
    this.#overtaken = undefined;
    this.#overtakenLimit?.cancel();
    if (held !== undefined) this.#socket.send(held.text);
  }

  #end(): void {
    this.#pending?.cancel();
    this.#overtakenLimit?.cancel();
    this.#delayed = [];
    this.#delayedLength = 0;
    this.#overtaken = undefined;
  }
}

/** Reads the channel from a message of `encodePush`, which writes it first. */
const push = /^\{"method":"subscription","params":\{"channel":"([^"]+)"/;

function subjectOf(text: string): string {
  return push.exec(text)?.[1] ?? "reply";
}
