export interface BucketRate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Limits how often something happens: `atOnce` times after a pause, then `perSecond`. */
export class TokenBucket {
  readonly #rate: BucketRate;
  #tokens: number;
  #filledMs = performance.now();

  constructor(rate: BucketRate) {
    this.#rate = rate;
    this.#tokens = rate.atOnce;
  }

  /** False: it happens too often. */
  take(): boolean {
    const { atOnce, perSecond } = this.#rate;
    const nowMs = performance.now();
    const filled = this.#tokens + ((nowMs - this.#filledMs) * perSecond) / 1_000;
    this.#tokens = Math.min(atOnce, filled);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
