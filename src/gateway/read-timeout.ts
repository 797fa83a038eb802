import type { Clock } from "../ports/clock.ts";

const SHORTEST_MS = 1_500;
const LONGEST_MS = 5_000;
/** A read waits this many times as long as responses take. */
const TIMES = 4;
/** Of this many reads without a response between them, one waits for the longest time: the venue may have become slow. */
const TRIES = 8;

/**
 * For how long a read waits for its response, learned from those before: a lost request must not hold for seconds what depends on it, and a
 * venue that is slow must still be read.
 */
export class ReadTimeout {
  readonly #clock: Clock;
  /** How long responses take; a quicker one halves it at most. */
  #usualMs = LONGEST_MS;
  /** Reads that were sent since the last response. */
  #tries = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends one read with the time-out that it gets, and learns from its response. */
  async read<Result>(send: (timeoutMs: number) => Promise<Result>): Promise<Result> {
    this.#tries += 1;
    const usualMs = this.#tries % TRIES === 0 ? LONGEST_MS : TIMES * this.#usualMs;
    const sentUs = this.#clock.monotonicUs();
    const result = await send(Math.min(Math.max(SHORTEST_MS, usualMs), LONGEST_MS));
    this.#tries = 0;
    this.#usualMs = Math.max((this.#clock.monotonicUs() - sentUs) / 1000, this.#usualMs / 2);
    return result;
  }
}
