export interface BucketRate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Limits how often something happens: `atOnce` times after a pause, then `perSecond`. Times are milliseconds of any one clock. */
export class TokenBucket {
  readonly #rate: BucketRate;
  #tokens: number;
  #filledMs: number;

  /** Full from `nowMs` on. */
  constructor(rate: BucketRate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.atOnce;
    this.#filledMs = nowMs;
  }

  /** False when it happens too often. A clock that goes back fills nothing. */
  take(nowMs: number): boolean {
    const { atOnce, perSecond } = this.#rate;
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#tokens = Math.min(atOnce, this.#tokens + (passedMs * perSecond) / 1000);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How long after the last `take` there is a token again, seconds; 0 when there is one. */
  get waitSec(): number {
    return Math.max(0, (1 - this.#tokens) / this.#rate.perSecond);
  }
}
