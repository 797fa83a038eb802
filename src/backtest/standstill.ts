import { TouchlineError } from "../base/error.ts";
import type { UnixMs } from "../domain/time.ts";

/** More moments than this within one millisecond mean that the bot answers itself without end. */
const MOMENTS_MAX = 2_000;

/** Ends a run in virtual time whose bot acts again at once, again and again, so that the time never moves on. */
export class Standstill {
  #nowMs = Number.NEGATIVE_INFINITY;
  #moments = 0;
  /** Strategy of the newest command of this millisecond. */
  #strategy: string | undefined;

  /** Another moment at this time. Throws TouchlineError `TIME_STANDS_STILL` for one too many. */
  moment(nowMs: UnixMs): void {
    if (nowMs !== this.#nowMs) {
      this.#nowMs = nowMs;
      this.#moments = 0;
      this.#strategy = undefined;
    }
    this.#moments += 1;
    if (this.#moments > MOMENTS_MAX) throw this.#error(nowMs);
  }

  decided(strategy: string): void {
    this.#strategy = strategy;
  }

  #error(nowMs: UnixMs): TouchlineError {
    const who = this.#strategy === undefined ? "the bot" : `the strategy ${this.#strategy}`;
    const at = new Date(nowMs).toISOString();
    return new TouchlineError(
      "TIME_STANDS_STILL",
      `Without latency ${who} acted ${MOMENTS_MAX} times within the millisecond ${at}, each time in answer to its last act.`,
      {
        hint: "Give latency.entry or latency.response at least 1ms, or let the strategy wait for wakeAtMs before it changes its mind.",
        context: { strategy: this.#strategy, nowMs },
      },
    );
  }
}
