import type { UnixMs } from "../domain/time.ts";

/** The source of time outside the core. */
export interface Clock {
  nowMs(): UnixMs;
  /** Microseconds from an arbitrary start; never goes back. For measuring durations only. */
  monotonicUs(): number;
}

/** Schedules callbacks outside the core. */
export interface Timer {
  /** Runs `run` once after `delayMs` (0 or more). */
  after(delayMs: number, run: () => void): TimerHandle;
  /** Runs `run` once after all pending input and promises, before any delayed callback. */
  soon(run: () => void): TimerHandle;
}

export interface TimerHandle {
  cancel(): void;
}
