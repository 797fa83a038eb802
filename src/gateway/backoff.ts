import { backOffMs } from "../base/back-off.ts";
import type { Prng } from "../base/prng.ts";
import type { StreamTiming } from "./stream-timing.ts";

/** Waits between attempts: each failure doubles the wait up to a limit, and a success resets it. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #prng: Prng | undefined;
  #failures = 0;

  /** With a `prng` each wait is shortened by up to half at random, so that clients of one venue do not return together. */
  constructor(timing: Pick<StreamTiming, "backoffMs" | "backoffMaxMs">, prng?: Prng) {
    this.#firstMs = timing.backoffMs;
    this.#maxMs = timing.backoffMaxMs;
    this.#prng = prng;
  }

  /** Counts a failure and returns the wait before the next attempt, milliseconds. */
  failed(): number {
    this.#failures += 1;
    const fullMs = backOffMs(this.#failures, this.#firstMs, this.#maxMs);
    if (this.#prng === undefined) return fullMs;
    return Math.round(fullMs * (0.5 + 0.5 * this.#prng.unit()));
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
