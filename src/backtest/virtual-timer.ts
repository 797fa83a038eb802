import type { Timer, TimerHandle } from "../ports/clock.ts";

const NEVER = Number.POSITIVE_INFINITY;
const nothingToCancel: TimerHandle = { cancel: () => undefined };

/** A timer that runs every callback at once, without waiting. */
export const immediately: Timer = {
  after(_, run) {
    run();
    return nothingToCancel;
  },
  soon(run) {
    run();
    return nothingToCancel;
  },
};

/** The timer of a bot in virtual time. Callbacks run only inside `runDue`. */
export class VirtualTimer implements Timer {
  /** Virtual time, set by the caller. */
  nowMs = 0;
  /** In the order in which they were set. */
  readonly #waiting: Waiting[] = [];
  #nextMs = NEVER;

  /** Time of the next callback; Infinity when none is waiting. */
  get nextMs(): number {
    return this.#nextMs;
  }

  soon(run: () => void): TimerHandle {
    return this.after(0, run);
  }

  after(delayMs: number, run: () => void): TimerHandle {
    const entry = new Waiting(this.nowMs + delayMs, run, this.#remove);
    this.#waiting.push(entry);
    if (entry.atMs < this.#nextMs) this.#nextMs = entry.atMs;
    return entry;
  }

  /** Runs the due callbacks in the order in which they were set. Callbacks that they set wait for the next call. */
  runDue(): void {
    if (this.#nextMs > this.nowMs) return;
    for (const entry of this.#waiting.filter(({ atMs }) => atMs <= this.nowMs)) {
      // One that ran before may have canceled it.
      if (this.#remove(entry)) entry.run();
    }
  }

  readonly #remove = (entry: Waiting): boolean => {
    const at = this.#waiting.indexOf(entry);
    if (at < 0) return false;
    if (at === this.#waiting.length - 1) this.#waiting.pop();
    else this.#waiting.splice(at, 1);
    if (entry.atMs > this.#nextMs) return true;
    this.#nextMs = NEVER;
    for (const { atMs } of this.#waiting) if (atMs < this.#nextMs) this.#nextMs = atMs;
    return true;
  };
}

/** A callback that waits for its time. */
class Waiting implements TimerHandle {
  readonly atMs: number;
  readonly run: () => void;
  readonly #remove: (entry: Waiting) => unknown;

  constructor(atMs: number, run: () => void, remove: (entry: Waiting) => unknown) {
    this.atMs = atMs;
    this.run = run;
    this.#remove = remove;
  }

  cancel(): void {
    this.#remove(this);
  }
}
