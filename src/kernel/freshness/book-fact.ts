import type { BookQuery, BookSync } from "../../book/book-sync.ts";
import type { ReadableBook } from "../../book/level-book.ts";
import type { BookSnapshot, FlatLevels } from "../../domain/depth.ts";
import { Freshness } from "./freshness.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** A book over REST that is ahead of the live one. */
interface NewerBook {
  readonly snapshot: BookSnapshot;
  readonly queriedMs: number;
  /** Until when the events of the channel may reach it. */
  readonly untilMs: number;
}

/**
 * A market's book as a copy with an age. It is proven by another copy that agrees at the same id, a `depthSnapshot@` message as of its
 * arrival or a book over REST as of its request, and by a book over REST that it was taken from. A book over REST that is ahead first waits
 * to be compared, as snapshots do (`BookAudit`). When the events have not reached it in time it replaces the live book, which costs no
 * quote, and counts as a correction; a comparison that differs is one, too. Only a copy that agrees in time, after further events, shows
 * that the channel delivers. The kernel and the feed of `paper` use it; it imports the book and `Freshness` alone.
 */
export class BookFact {
  readonly sync: BookSync;
  readonly fresh = new Freshness();
  readonly #checkMs: number;
  #newer: NewerBook | undefined;
  /** Id at which the book was last taken from REST. */
  #takenId = 0;
  /** Id of the live book when it was last requested over REST: an older one says nothing about now. */
  #requestedId = 0;
  #audits = 0;
  #agreedMs = Number.NEGATIVE_INFINITY;

  /** `checkMs`: for how long a newer book waits for the events. */
  constructor(sync: BookSync, checkMs: number) {
    this.sync = sync;
    this.#checkMs = checkMs;
  }

  /** A `depthSnapshot@` message. A late one does not prove the current book, but its levels must agree with the book at its time. */
  snapshot(snapshot: BookSnapshot, nowMs: number, isLate: boolean): BookQuery | undefined {
    const { sync } = this;
    if (sync.live === undefined) return undefined;
    if (snapshot.lastId > sync.lastId)
      this.fresh.suspect(nowMs, "a snapshot is newer than the book");
    return sync.onAudit(snapshot, isLate ? Number.NEGATIVE_INFINITY : nowMs);
  }

  /** The book is requested over REST. */
  requested(): void {
    this.#requestedId = this.sync.lastId;
  }

  /** A whole book over REST, which was requested at `queriedMs`. */
  read(snapshot: BookSnapshot, queriedMs: number, nowMs: number): BookQuery | undefined {
    const { sync, fresh } = this;
    const { live } = sync;
    if (live === undefined) {
      const query = sync.onSnapshot(snapshot);
      if (sync.live !== undefined) this.#took(snapshot, queriedMs);
      return query;
    }
    const isOld = snapshot.lastId < this.#requestedId;
    if (isOld) return sync.onAudit(snapshot, Number.NEGATIVE_INFINITY);
    if (snapshot.lastId <= sync.lastId) return sync.onAudit(snapshot, queriedMs);
    if (hasSameLevels(live, snapshot)) return this.#take(snapshot, queriedMs);
    // A channel that has delivered nothing since the last correction gets no more time.
    if (fresh.misses > 0 && sync.lastId === this.#takenId) {
      return this.#correct(snapshot, queriedMs);
    }
    fresh.suspect(queriedMs, "REST shows changes that did not come");
    this.#newer ??= { snapshot, queriedMs, untilMs: nowMs + this.#checkMs };
    return sync.onAudit(snapshot, queriedMs);
  }

  /** When a newer book that waits replaces the live one; Infinity while none waits. */
  get replacesMs(): number {
    return this.#newer?.untilMs ?? NEVER;
  }

  /** Replaces the live book when the events have not reached a newer one in time. Returns whether it did. */
  replace(nowMs: number): boolean {
    const newer = this.#newer;
    if (newer === undefined) return false;
    const { sync } = this;
    if (sync.live === undefined || sync.lastId >= newer.snapshot.lastId) this.#newer = undefined;
    else if (nowMs >= newer.untilMs) {
      this.#correct(newer.snapshot, newer.queriedMs);
      return true;
    }
    return false;
  }

  /** Draws the conclusions of comparisons since the last call. Returns how many there were; of those only the last can differ. */
  settle(nowMs: number): number {
    const { sync, fresh } = this;
    const count = sync.audits - this.#audits;
    if (count === 0) return 0;
    this.#audits = sync.audits;
    if (sync.live === undefined) {
      fresh.suspect(nowMs, "its events make a wrong book");
      fresh.missed();
    } else if (sync.agreedMs > this.#agreedMs) {
      this.#agreedMs = sync.agreedMs;
      fresh.proven(this.#agreedMs);
      const isTimely = nowMs - this.#agreedMs <= this.#checkMs;
      if (isTimely && sync.lastId !== this.#takenId) fresh.delivered();
    }
    return count;
  }

  #correct(snapshot: BookSnapshot, queriedMs: number): BookQuery | undefined {
    this.fresh.corrected(queriedMs);
    return this.#take(snapshot, queriedMs);
  }

  #take(snapshot: BookSnapshot, queriedMs: number): BookQuery | undefined {
    const query = this.sync.onSnapshot(snapshot);
    this.#took(snapshot, queriedMs);
    return query;
  }

  #took({ lastId }: BookSnapshot, queriedMs: number): void {
    this.#newer = undefined;
    this.#takenId = lastId;
    this.fresh.proven(queriedMs);
  }
}

function hasSameLevels(live: ReadableBook, snapshot: BookSnapshot): boolean {
  const { bids, asks } = live.levels();
  return isSame(bids, snapshot.bids) && isSame(asks, snapshot.asks);
}

function isSame(left: FlatLevels, right: FlatLevels): boolean {
  return left.length === right.length && left.every((value, at) => value === right[at]);
}
