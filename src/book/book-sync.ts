import { assert } from "../base/assert.ts";
import type { BookSnapshot, DepthEvent } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { BookAudit, levelsOf } from "./book-audit.ts";
import { LevelBook, type ReadableBook } from "./level-book.ts";

/**
 * Keeps one market's local book in sync with the stream (§6.3):
 *
 *   closed ──opened──▶ syncing ──snapshot that fits the buffer──▶ live
 *     ▲                  ▲ │ too old a snapshot: read again          │
 *     │                  └─┴──────gap, overflow, failed audit────────┤
 *     └──────────────────────────closed──────────────────────────────┘
 *
 * `closed`: nothing arrives, the book is unusable. `syncing`: events are buffered, without gaps between them, and a
 * snapshot is awaited. `live`: each event continues the last one. Only a live book can be read.
 */
export type BookSyncState = "closed" | "syncing" | "live";

/** The only effect of the machine: read the whole book (§4.3 depth). A read that is already open is not repeated. */
export interface BookQuery {
  readonly type: "book";
  readonly marketId: MarketId;
}

/** Counts since the start. */
export interface BookCounters {
  /** Events applied to a live book. */
  readonly applied: number;
  /** Events that did not continue the previous one (§6.3.5). */
  readonly gaps: number;
  /** Events entirely older than the book, which are dropped: late ones (§6.3.3) and repeated ones. */
  readonly old: number;
  /** How often a live book was lost: gap, closed stream, ids that went back, failed audit. */
  readonly resyncs: number;
  /** Snapshots older than the first buffered event, which were fetched again. */
  readonly lateSnapshots: number;
  /** How often the buffer was full before a snapshot came, or the live book had too many levels, and was restarted. */
  readonly overflows: number;
  /** Comparisons with `depthSnapshot@` messages, mismatches among them, and messages that could not be compared. */
  readonly audits: number;
  readonly auditMismatches: number;
  readonly auditsSkipped: number;
}

export interface BookSyncLimits {
  /** Most events buffered while a snapshot is under way: more than a minute at 10 a second. */
  readonly bufferMax: number;
  /** This many old events in a row mean that the venue's ids went back (against D36), and the book is synced again. */
  readonly oldRunMax: number;
  /**
   * A live book with more levels than this on a side is synced again, a buffer with more is restarted, and a snapshot that lags behind
   * by more is not compared. Events of thousands of levels would otherwise fill the memory and take long to apply at once.
   */
  readonly levelsMax: number;
}

/** Ten times a whole book over REST (§4.3). */
export const BOOK_LEVELS_MAX = 50_000;

const defaultLimits: BookSyncLimits = {
  bufferMax: 1024,
  oldRunMax: 1024,
  levelsMax: BOOK_LEVELS_MAX,
};

export class BookSync {
  readonly marketId: MarketId;
  readonly #limits: BookSyncLimits;
  readonly #book = new LevelBook();
  readonly #audit: BookAudit;
  readonly #buffer: DepthEvent[] = [];
  /** Levels of the buffered events. */
  #bufferedLevels = 0;
  #state: BookSyncState = "closed";
  #lastId = 0;
  /** The next event may straddle the snapshot (§6.3.4); after it each must continue exactly (§6.3.5). */
  #isFirst = false;
  #oldRun = 0;
  readonly #counters = {
    applied: 0,
    gaps: 0,
    old: 0,
    resyncs: 0,
    lateSnapshots: 0,
    overflows: 0,
    auditMismatches: 0,
  };

  constructor(marketId: MarketId, limits: Partial<BookSyncLimits> = {}) {
    this.marketId = marketId;
    this.#limits = { ...defaultLimits, ...limits };
    this.#audit = new BookAudit(this.#limits.levelsMax);
    assert(this.#limits.bufferMax > 0, "room for at least one event");
  }

  get state(): BookSyncState {
    return this.#state;
  }

  /** The book, always the same object; undefined unless it is in sync, so that nothing stale is ever read. */
  get live(): ReadableBook | undefined {
    return this.#state === "live" ? this.#book : undefined;
  }

  /** Id of the last update in the live book; meaningless otherwise. */
  get lastId(): number {
    return this.#lastId;
  }

  /** True when a live book can take this event, which is not old, without a gap (§6.3.4, §6.3.5). */
  continues(event: DepthEvent): boolean {
    if (event.firstId === this.#lastId + 1) return true;
    return this.#isFirst && event.firstId <= this.#lastId;
  }

  /** True when `onDepth` would apply this event to a live book, and the book would stay live without a query. */
  takes(event: DepthEvent): boolean {
    const { bids, asks } = this.#book;
    return (
      this.#state === "live" &&
      event.finalId > this.#lastId &&
      this.continues(event) &&
      this.#audit.ahead === undefined &&
      Math.max(bids.size, asks.size) + levelsOf(event) <= this.#limits.levelsMax
    );
  }

  get counters(): BookCounters {
    const { compared, skipped } = this.#audit;
    return { ...this.#counters, audits: compared, auditsSkipped: skipped };
  }

  /** A whole book that is newer than the live one and waits to be compared with it; undefined when none does. */
  get ahead(): BookSnapshot | undefined {
    return this.#audit.ahead;
  }

  /** Comparisons with other copies of the book since the start. */
  get audits(): number {
    return this.#audit.compared;
  }

  /** Latest time for which a comparison showed the book to be right; -Infinity before the first. */
  get agreedMs(): number {
    return this.#audit.agreedMs;
  }

  /** The state of the stream changed. `opened` requests a snapshot; `closed` makes the book unusable at once. */
  onStream(state: "opened" | "closed"): BookQuery | undefined {
    if (this.#state === "live") this.#counters.resyncs += 1;
    this.#forgetBuffer();
    this.#book.clear();
    this.#audit.forget();
    this.#state = state === "opened" ? "syncing" : "closed";
    return state === "opened" ? this.#query() : undefined;
  }

  /** One `depth@` event of this market. */
  onDepth(event: DepthEvent): BookQuery | undefined {
    assert(event.marketId === this.marketId, "an event of this market");
    if (this.#state === "closed") return undefined;
    if (this.#state === "syncing") return this.#hold(event);
    if (event.finalId <= this.#lastId) return this.#drop(event);
    if (!this.continues(event)) {
      this.#counters.gaps += 1;
      return this.#lose(event);
    }
    return this.#apply(event);
  }

  /** The whole book, from REST. A live book takes it only when it is newer: then the stream lags or has died silently. */
  onSnapshot(snapshot: BookSnapshot): BookQuery | undefined {
    assert(snapshot.marketId === this.marketId, "a snapshot of this market");
    if (this.#state === "closed") return undefined;
    if (this.#state === "live") {
      if (snapshot.lastId > this.#lastId) this.#take(snapshot);
      return undefined;
    }
    const first = this.#buffer[0];
    if (first !== undefined && snapshot.lastId + 1 < first.firstId) {
      this.#counters.lateSnapshots += 1;
      return this.#query();
    }
    this.#take(snapshot);
    const held = this.#buffer.splice(0);
    this.#bufferedLevels = 0;
    for (const event of held) {
      // Waiting `depthSnapshot@` messages belong to the book before this one.
      if (event.finalId <= this.#lastId) this.#counters.old += 1;
      else {
        const query = this.#apply(event);
        if (query !== undefined) return query;
      }
    }
    return undefined;
  }

  /**
   * Compares the live book with another copy of it, which shows it as of `atMs`, at once or as soon as both are at the same id (see
   * `BookAudit`); a difference makes the book unusable.
   */
  onAudit(snapshot: BookSnapshot, atMs: number = Number.NEGATIVE_INFINITY): BookQuery | undefined {
    if (this.#state !== "live") return undefined;
    if (this.#audit.onSnapshot(snapshot, this.#book, this.#lastId, atMs)) return undefined;
    return this.#failAudit();
  }

  #query(): BookQuery {
    return { type: "book", marketId: this.marketId };
  }

  #apply(event: DepthEvent): BookQuery | undefined {
    this.#book.apply(event);
    this.#lastId = event.finalId;
    this.#isFirst = false;
    this.#oldRun = 0;
    this.#counters.applied += 1;
    if (Math.max(this.#book.bids.size, this.#book.asks.size) > this.#limits.levelsMax) {
      this.#counters.overflows += 1;
      return this.#lose(undefined);
    }
    return this.#audit.applied(event, this.#book) ? undefined : this.#failAudit();
  }

  #failAudit(): BookQuery {
    this.#counters.auditMismatches += 1;
    return this.#lose(undefined);
  }

  #take(snapshot: BookSnapshot): void {
    this.#audit.forget();
    this.#book.load(snapshot);
    this.#lastId = snapshot.lastId;
    this.#isFirst = true;
    this.#oldRun = 0;
    this.#state = "live";
  }

  #drop(event: DepthEvent): BookQuery | undefined {
    this.#counters.old += 1;
    this.#oldRun += 1;
    return this.#oldRun > this.#limits.oldRunMax ? this.#lose(event) : undefined;
  }

  /** The live book is wrong: makes it unusable at once and syncs again, with `event` as the first in the buffer. */
  #lose(event: DepthEvent | undefined): BookQuery {
    this.#counters.resyncs += 1;
    this.#state = "syncing";
    this.#book.clear();
    this.#audit.forget();
    this.#forgetBuffer();
    if (event !== undefined) this.#buffer.push(event);
    return this.#query();
  }

  #forgetBuffer(): void {
    this.#buffer.length = 0;
    this.#bufferedLevels = 0;
  }

  /** Buffers an event. An event that does not continue the buffer restarts it, so the buffer never hides a gap. */
  #hold(event: DepthEvent): BookQuery | undefined {
    const last = this.#buffer.at(-1);
    if (last !== undefined && event.finalId <= last.finalId) {
      this.#counters.old += 1;
      return undefined;
    }
    const { bufferMax, levelsMax } = this.#limits;
    const isFull = this.#buffer.length >= bufferMax || this.#bufferedLevels > levelsMax;
    const isGap = last !== undefined && event.firstId !== last.finalId + 1;
    if (isFull) this.#counters.overflows += 1;
    if (isGap) this.#counters.gaps += 1;
    if (isFull || isGap) this.#forgetBuffer();
    this.#buffer.push(event);
    this.#bufferedLevels += levelsOf(event);
    return isFull || isGap ? this.#query() : undefined;
  }
}
