import type { Timer, TimerHandle } from "../ports/clock.ts";

interface Waiting {
  readonly atMs: number;
  readonly run: () => void;
}

const NEVER = Number.POSITIVE_INFINITY;
const nothingToCancel: TimerHandle = { cancel: () => undefined };

/** For what has no reason to wait in virtual time. */
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

/** The timer of a bot in virtual time: nothing fires but by `runDue`. */
export class VirtualTimer implements Timer {
  /** Set by the owner of the time. */
  nowMs = 0;
  #waiting: readonly Waiting[] = [];

  /** When the next one is due; Infinity when none waits. */
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

  /** Fires what is due, in the order in which it was set; what that sets in turn waits for the next call. */
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
