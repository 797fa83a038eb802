import { unixMs, type UnixMs } from "../../src/domain/time.ts";
import type { Clock, Timer, TimerHandle } from "../../src/ports/clock.ts";

interface Entry {
  readonly dueMs: number;
  readonly seq: number;
  readonly run: () => void;
}

/** Clock and timer of a test: time stands still until `advance`. */
export class VirtualClock implements Clock, Timer {
  #nowMs: number;
  #seq = 0;
  readonly #entries = new Set<Entry>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): UnixMs {
    return unixMs(this.#nowMs);
  }

  monotonicUs(): number {
    return this.#nowMs * 1000;
  }

  after(delayMs: number, run: () => void): TimerHandle {
    this.#seq += 1;
    const entry = { dueMs: this.#nowMs + Math.max(0, delayMs), seq: this.#seq, run };
    this.#entries.add(entry);
    return { cancel: () => this.#entries.delete(entry) };
  }

  soon(run: () => void): TimerHandle {
    return this.after(0, run);
  }

  /** Timers that are still to fire. */
  get pending(): number {
    return this.#entries.size;
  }

  /** Lets time pass; timers fire in the order of their time, each at its own moment. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#entries.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: number): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.dueMs > untilMs) continue;
      const isSooner =
        first === undefined ||
        entry.dueMs < first.dueMs ||
        (entry.dueMs === first.dueMs && entry.seq < first.seq);
      if (isSooner) first = entry;
    }
    return first;
  }
}
