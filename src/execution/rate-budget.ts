import { assert } from "../base/assert.ts";
import { LearnedRate } from "./learned-rate.ts";

/**
 * Cancels may use everything. Placements and reads leave the cancels' reserve alone, and reads, which may be slow, take at
 * most half of the remaining slots, so that placements never queue behind them. A settling read, of a bot that stops, is a read with the
 * cancels' right to all tokens. `other` takes a token without a slot: a further page of a read that has its slot already, or one of the
 * few requests that do not come from the kernel.
 */
export type RequestKind = "cancel" | "place" | "read" | "settlingRead" | "other";

/** What holds a slot until its request ends. */
export type SlotKind = "cancel" | "place" | "read";

export interface RateLimit {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests that may leave at once after a quiet time. */
  readonly burst: number;
  /** Requests that may be open at the same time. */
  readonly concurrency: number;
  /** Share of `burst` and of `concurrency` reserved for cancels, at least 1 of each where there are 2 or more. Default 0.25. */
  readonly cancelShare?: number;
  /** Requests of the same process just before, which `burst` has to make up for. Default 0. */
  readonly spent?: number;
}

/** What is left of a rate budget, for the requests of the same process that follow. */
export interface RateLeft {
  /** As learned. */
  readonly perSecond: number;
  readonly burst: number;
  /** Tokens missing from `burst`. */
  readonly spent: number;
}

/** The learned rate stays above this share of `perSecond`. */
const RATE_FLOOR = 0.05;
/**
 * A request without a response for this long holds no slot: when the venue hangs, every cancel leaves within this time and the rate, and when
 * it answers again, what was read before is read again at once. But placements wait for those that hang, so that few are in doubt.
 */
export const HANGING_MS = 600;
/** After a 429 that does not say how long to wait. */
const LIMITED_WAIT_MS = 1_000;
/** Tokens are counted in thousandths, so whole milliseconds times whole requests a second stay whole numbers. */
const TOKEN = 1_000;

/**
 * The rate budget of all HTTP requests of a bot: a token bucket and a count of open requests. In any span of `t` seconds
 * at most burst + perSecond × t requests pass. Rate and burst fall and grow together with what the venue takes.
 * The caller passes the time; after a step back nothing is refilled until it has caught up.
 */
export class RateBudget {
  readonly #limit: RateLimit;
  readonly #learned: LearnedRate;
  /** Thousandths of a token a millisecond are tokens a second. */
  #perMs: number;
  #capacity = 0;
  #reserve = 0;
  readonly #slots: number;
  readonly #sharedSlots: number;
  readonly #readSlots: number;
  #tokens = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** When each open request left, oldest first. */
  readonly #openSinceMs: Record<SlotKind, number[]> = { cancel: [], place: [], read: [] };
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limit: RateLimit) {
    const { perSecond, burst, concurrency, cancelShare = 0.25, spent = 0 } = limit;
    assert(perSecond > 0 && Number.isFinite(perSecond), "perSecond is above 0");
    assert(burst >= 1 && Number.isFinite(burst), "burst is 1 or more");
    assert(Number.isInteger(concurrency) && concurrency >= 1, "concurrency is 1 or more");
    assert(cancelShare >= 0 && cancelShare < 1, "cancelShare is a share below 1");
    assert(spent >= 0, "spent is 0 or more");
    this.#limit = limit;
    this.#learned = new LearnedRate(perSecond, perSecond * RATE_FLOOR);
    this.#perMs = perSecond;
    this.#resize();
    this.#slots = concurrency;
    const slotReserve = Math.max(1, Math.round(concurrency * cancelShare));
    this.#sharedSlots = Math.max(1, concurrency - slotReserve);
    this.#readSlots = Math.max(1, Math.floor(this.#sharedSlots / 2));
    this.#tokens = this.#capacity - Math.min(spent, burst) * TOKEN;
  }

  /** Open requests. */
  get open(): number {
    const { cancel, place, read } = this.#openSinceMs;
    return cancel.length + place.length + read.length;
  }

  /** Takes a token and a slot for a request that leaves now. False, with nothing taken, when the request has to wait. */
  tryTake(kind: RequestKind, nowMs: number): boolean {
    this.#refill(nowMs);
    if (this.#slotAtMs(kind) > nowMs) return false;
    const isUrgent = kind === "cancel" || kind === "settlingRead";
    if (!isUrgent && nowMs < this.#pausedUntilMs) return false;
    if (this.#tokens < TOKEN + (isUrgent ? 0 : this.#reserve)) {
      if (this.#learned.wanted(nowMs)) this.#resize();
      return false;
    }
    this.#tokens -= TOKEN;
    if (kind === "other") return true;
    this.#openSinceMs[kind === "settlingRead" ? "read" : kind].push(nowMs);
    return true;
  }

  /**
   * Frees the slot of a request that ended, however it ended. `takenMs`: when it took the slot; undefined when that is not known. So the
   * requests that still hang are told from those that do not.
   */
  release(kind: SlotKind, takenMs = Number.POSITIVE_INFINITY): void {
    const open = this.#openSinceMs[kind];
    assert(open.length > 0, "a release answers a take of its kind");
    const at = open.findLastIndex((sinceMs) => sinceMs <= takenMs);
    open.splice(Math.max(0, at), 1);
  }

  /** Requests a second that may leave now. */
  get perSecond(): number {
    return this.#perMs;
  }

  /** What is left now, for requests that follow the last one of this budget. */
  left(nowMs: number): RateLeft {
    this.#refill(nowMs);
    const { burst } = this.#limit;
    return { perSecond: this.#perMs, burst, spent: burst - this.#tokens / TOKEN };
  }

  /** Only cancels pass until then, since the venue answered 429 (D11). A shorter pause never ends a longer one. */
  pauseUntil(untilMs: number): void {
    if (untilMs > this.#pausedUntilMs) this.#pausedUntilMs = untilMs;
  }

  /**
   * The venue answered 429 (D11): for `waitMs`, or a second when it does not say, only cancels pass. The budget also lowers its
   * rate and is empty now, so cancels pass slowly. Returns whether the rate fell.
   */
  limited(waitMs: number | undefined, nowMs: number): boolean {
    this.#refill(nowMs);
    this.pauseUntil(nowMs + (waitMs ?? LIMITED_WAIT_MS));
    if (!this.#learned.limited(nowMs)) return false;
    this.#resize();
    this.#tokens = 0;
    return true;
  }

  /**
   * The first whole millisecond at which `tryTake` would succeed, where no slot is free that at which enough requests hang. Infinity for a
   * placement where other placements hold all slots, since only `release` ends that.
   */
  nextFreeMs(kind: RequestKind, nowMs: number): number {
    this.#refill(nowMs);
    const slotMs = this.#slotAtMs(kind);
    const isUrgent = kind === "cancel" || kind === "settlingRead";
    const missing = TOKEN + (isUrgent ? 0 : this.#reserve) - this.#tokens;
    const tokenMs = missing <= 0 ? nowMs : nowMs + Math.ceil(missing / this.#perMs);
    return Math.max(slotMs, tokenMs, isUrgent ? slotMs : this.#pausedUntilMs);
  }

  /** From when on a request has a slot although no open request ends: -Infinity now, Infinity never. */
  #slotAtMs(kind: RequestKind): number {
    const { cancel, place, read } = this.#openSinceMs;
    if (kind === "other") return Number.NEGATIVE_INFINITY;
    if (kind === "cancel") return freeAtMs(this.#slots, cancel, place, read);
    if (kind === "place") return freeAtMs(this.#sharedSlots - place.length, cancel, read);
    const sharedMs = freeAtMs(this.#sharedSlots, cancel, place, read);
    return Math.max(sharedMs, freeAtMs(this.#readSlots, read));
  }

  /** Follows the learned rate. Burst and reserve keep their proportion to it, but a cancel and another request fit at any rate. */
  #resize(): void {
    const { perSecond, burst, cancelShare = 0.25 } = this.#limit;
    this.#perMs = this.#learned.perSecond;
    const size = Math.max(Math.min(burst, 2), burst * (this.#perMs / perSecond));
    this.#capacity = size * TOKEN;
    this.#reserve = Math.min(Math.max(1, size * cancelShare), size - 1) * TOKEN;
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }

  #refill(nowMs: number): void {
    const elapsedMs = nowMs - this.#lastMs;
    if (elapsedMs === 0) return;
    if (this.#lastMs === Number.NEGATIVE_INFINITY) {
      this.#lastMs = nowMs;
      return;
    }
    if (elapsedMs > 0) {
      this.#tokens = Math.min(this.#capacity, this.#tokens + elapsedMs * this.#perMs);
    } else {
      // The clock stepped back: the rest of a pause stays as long as it was.
      this.#pausedUntilMs += elapsedMs;
    }
    this.#lastMs = nowMs;
  }
}

/** When one of these slots is free although no request ends, Infinity without slots. `sinceMs`: when the open requests left. */
function freeAtMs(slots: number, ...sinceMs: readonly (readonly number[])[]): number {
  if (slots <= 0) return Number.POSITIVE_INFINITY;
  const open = sinceMs.reduce((sum, { length }) => sum + length, 0);
  if (open < slots) return Number.NEGATIVE_INFINITY;
  const oldest = sinceMs.flat().sort((left, right) => left - right);
  return (oldest[open - slots] ?? Number.NEGATIVE_INFINITY) + HANGING_MS;
}
