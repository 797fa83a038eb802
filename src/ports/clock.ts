import type { UnixMs } from "../domain/time.ts";

/** The one source of time outside the core. */
export interface Clock {
  nowMs(): UnixMs;
  /** Microseconds from an arbitrary start, never goes back; for measuring only. */
  monotonicUs(): number;
}

/** The one source of later. */
export interface Timer {
  /** Runs `run` once after `delayMs` (at least 0). */
  after(delayMs: number, run: () => void): TimerHandle;
  /** Runs `run` once, as soon as the input that is waiting now has been taken in: later than every promise, sooner than any delay. */
  soon(run: () => void): TimerHandle;
}

export interface TimerHandle {
  cancel(): void;
}
