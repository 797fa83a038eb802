/** A venue that answers 429 allows less than we send. */
const LIMITED_FACTOR = 0.5;
/** Regained at once, as a share of the configured rate. */
const GROWTH = 0.02;
/** Signs within this span are of the same moment: the rate moves once for all of them. */
const ROUND_MS = 1_000;

/**
 * The request rate that a venue takes, learned from its responses: it falls by a factor at each 429, and grows by a constant each second
 * in which requests wait for it (AIMD, as TCP's congestion window), between a floor and the configured rate. A rate that nobody needs
 * does not grow, since nothing tests it. Slow responses say nothing about it. Pure: the caller passes the time.
 */
export class LearnedRate {
  readonly #mostPerSecond: number;
  readonly #floorPerSecond: number;
  #perSecond: number;
  /** When it last grew or fell. */
  #changedMs = Number.NEGATIVE_INFINITY;
  #loweredMs = Number.NEGATIVE_INFINITY;

  constructor(mostPerSecond: number, floorPerSecond: number) {
    this.#mostPerSecond = mostPerSecond;
    this.#floorPerSecond = Math.min(floorPerSecond, mostPerSecond);
    this.#perSecond = mostPerSecond;
  }

  /** Requests a second that may leave now. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** A request waits for the rate. Returns whether the rate grew. */
  wanted(nowMs: number): boolean {
    if (this.#perSecond === this.#mostPerSecond || !isNewRound(this.#changedMs, nowMs))
      return false;
    this.#changedMs = nowMs;
    const grown = this.#perSecond + GROWTH * this.#mostPerSecond;
    this.#perSecond = Math.min(this.#mostPerSecond, grown);
    return true;
  }

  /** The venue answered 429. Returns whether the rate fell: once for all responses of one moment. */
  limited(nowMs: number): boolean {
    if (!isNewRound(this.#loweredMs, nowMs)) return false;
    const before = this.#perSecond;
    this.#loweredMs = nowMs;
    this.#changedMs = nowMs;
    this.#perSecond = Math.max(this.#floorPerSecond, before * LIMITED_FACTOR);
    return this.#perSecond < before;
  }
}

/** After a step back of the clock a new round begins. */
function isNewRound(sinceMs: number, nowMs: number): boolean {
  return nowMs < sinceMs || nowMs - sinceMs >= ROUND_MS;
}
