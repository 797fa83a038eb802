import type { Timer, TimerHandle } from "../ports/clock.ts";

interface Waiting {
  readonly atMs: number;
  readonly run: () => void;
}

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
  #waiting: readonly Waiting[] = [];

  /** Time of the next callback; Infinity when none is waiting. */
  get nextMs(): number {
    let nextMs = NEVER;
    for (const { atMs } of this.#waiting) if (atMs < nextMs) nextMs = atMs;
    return nextMs;
  }

  soon(run: () => void): TimerHandle {
    return this.after(0, run);
  }

  after(delayMs: number, run: () => void): TimerHandle {
    const entry = { atMs: this.nowMs + delayMs, run };
    this.#waiting = [...this.#waiting, entry];
    return { cancel: () => this.#remove(entry) };
  }

  /** Runs the due callbacks in the order in which they were set. Callbacks that they set wait for the next call. */
  runDue(): void {
    const due = this.#waiting.filter(({ atMs }) => atMs <= this.nowMs);
    for (const entry of due) {
      if (!this.#waiting.includes(entry)) continue;
      this.#remove(entry);
      entry.run();
    }
  }

  #remove(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }
}
