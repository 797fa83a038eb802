import type { Side } from "../domain/side.ts";

/** Uptime counts from this long after the start. */
const UPTIME_GRACE_MS = 3_000;

/**
 * Share of the time with at least one resting order, for each side. An order rests from its acknowledgement until the bot learns
 * of its end. The time runs from 3 s after the start to the stop signal.
 */
export class Uptime {
  readonly #fromMs: number;
  #untilMs = Number.POSITIVE_INFINITY;
  #nowMs: number;
  readonly #isUp: Record<Side, boolean> = { BUY: false, SELL: false };
  readonly #upMs: Record<Side, number> = { BUY: 0, SELL: 0 };

  constructor(startMs: number) {
    this.#fromMs = startMs + UPTIME_GRACE_MS;
    this.#nowMs = startMs;
  }

  /** Ends the measured time at `atMs`; a later call cannot extend it. */
  stop(atMs: number): void {
    this.#untilMs = Math.min(this.#untilMs, atMs);
  }

  /** Moves the time to `nowMs` while the orders stay as they are. A clock that goes back adds nothing. */
  advance(nowMs: number): void {
    const from = Math.max(this.#nowMs, this.#fromMs);
    const passedMs = Math.min(nowMs, this.#untilMs) - from;
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    if (passedMs <= 0) return;
    for (const side of ["BUY", "SELL"] as const) {
      if (this.#isUp[side]) this.#upMs[side] += passedMs;
    }
  }

  /** Sets whether an order rests on this side, from the time of the last `advance`. */
  set(side: Side, isUp: boolean): void {
    this.#isUp[side] = isUp;
  }

  /** 0 to 1, up to the last `advance`; 0 for a run of less than 3 s. */
  share(side: Side): number {
    const lengthMs = Math.min(this.#nowMs, this.#untilMs) - this.#fromMs;
    return lengthMs <= 0 ? 0 : Math.min(1, this.#upMs[side] / lengthMs);
  }
}
