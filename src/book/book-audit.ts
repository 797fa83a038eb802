import type { BookSnapshot, DepthEvent, FlatLevels } from "../domain/depth.ts";
import { LevelBook } from "./level-book.ts";

/** Most snapshots that wait for the book to reach their id; at two a second, a few seconds of lag in the depth stream. */
const AHEAD_MAX = 8;
/** How many events a snapshot may lag behind the book. */
const BEHIND_MAX = 256;

interface WaitingSnapshot {
  readonly snapshot: BookSnapshot;
  readonly atMs: number;
}

/**
 * Compares a live book with `depthSnapshot@` messages (§6.3) and books over REST at equal update ids, as many levels as those hold. Snapshots and
 * depth events are two channels, so one is often ahead. A newer snapshot waits until the book reaches its id; an older one is
 * brought up to the book's id with the events since. A snapshot that is too far off, or whose id lies within an event, is skipped.
 */
export class BookAudit {
  readonly #ahead: WaitingSnapshot[] = [];
  /** The newest applied events, oldest first from `#next` on. */
  readonly #events: DepthEvent[] = [];
  #next = 0;
  readonly #then = new LevelBook();
  readonly #levelsMax: number;
  #compared = 0;
  #skipped = 0;
  #agreedMs = Number.NEGATIVE_INFINITY;

  /** `levelsMax`: most levels of the events that bring a snapshot up to the book. */
  constructor(levelsMax = Number.POSITIVE_INFINITY) {
    this.#levelsMax = levelsMax;
  }

  /** Snapshots compared with the book. */
  get compared(): number {
    return this.#compared;
  }

  /** Snapshots that could not be compared. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Latest time for which a snapshot showed the book to be right, as the callers dated it; -Infinity before the first. */
  get agreedMs(): number {
    return this.#agreedMs;
  }

  /** The newest snapshot that waits for the book to reach its id; undefined when none does. */
  get ahead(): BookSnapshot | undefined {
    return this.#ahead.at(-1)?.snapshot;
  }

  /** The book was lost or reloaded: forgets earlier snapshots and events. */
  forget(): void {
    this.#skipped += this.#ahead.length;
    this.#ahead.length = 0;
    this.#events.length = 0;
    this.#next = 0;
  }

  /** Call after an event was applied to `book`. False when a waiting snapshot differs from the book. */
  applied(event: DepthEvent, book: LevelBook): boolean {
    if (this.#events.length < BEHIND_MAX) this.#events.push(event);
    else this.#events[this.#next] = event;
    this.#next = (this.#next + 1) % BEHIND_MAX;
    return this.#ahead.length === 0 || this.#settle(event.finalId, book);
  }

  /** Compares the snapshots that were waiting for this id. */
  #settle(finalId: number, book: LevelBook): boolean {
    let isSame = true;
    for (let first = this.#ahead[0]; first !== undefined; first = this.#ahead[0]) {
      const { snapshot, atMs } = first;
      if (snapshot.lastId > finalId) break;
      this.#ahead.shift();
      if (snapshot.lastId < finalId) this.#skipped += 1;
      else isSame = this.#compare(snapshot, snapshot, book, atMs) && isSame;
    }
    return isSame;
  }

  /** Takes a snapshot while the book is at `lastId`; it shows the book as of `atMs`. False when it differs from the book. */
  onSnapshot(snapshot: BookSnapshot, book: LevelBook, lastId: number, atMs: number): boolean {
    if (snapshot.lastId === lastId) return this.#compare(snapshot, snapshot, book, atMs);
    if (snapshot.lastId > lastId) {
      const newest = this.#ahead.at(-1);
      const isInOrder = newest === undefined || newest.snapshot.lastId < snapshot.lastId;
      if (this.#ahead.length < AHEAD_MAX && isInOrder) this.#ahead.push({ snapshot, atMs });
      else this.#skipped += 1;
      return true;
    }
    const since = this.#since(snapshot.lastId);
    if (since === undefined) {
      this.#skipped += 1;
      return true;
    }
    this.#then.load(snapshot);
    for (const event of since) this.#then.apply(event);
    return this.#compare(this.#then.levels(), snapshot, book, atMs);
  }

  /** The events after the one that ends with this id; undefined when that event is no longer kept, or when they are too large. */
  #since(finalId: number): readonly DepthEvent[] | undefined {
    const isFull = this.#events.length === BEHIND_MAX;
    const inOrder = isFull
      ? [...this.#events.slice(this.#next), ...this.#events.slice(0, this.#next)]
      : this.#events;
    const at = inOrder.findIndex((event) => event.finalId === finalId);
    if (at < 0) return undefined;
    const since = inOrder.slice(at + 1);
    return since.reduce((sum, event) => sum + levelsOf(event), 0) > this.#levelsMax
      ? undefined
      : since;
  }

  #compare(
    expected: Pick<BookSnapshot, "bids" | "asks">,
    known: Pick<BookSnapshot, "bids" | "asks">,
    book: LevelBook,
    atMs: number,
  ): boolean {
    this.#compared += 1;
    const isSame =
      isSameDownTo(known.bids.at(-2), expected.bids, book.bids, -1) &&
      isSameDownTo(known.asks.at(-2), expected.asks, book.asks, 1);
    if (isSame) this.#agreedMs = Math.max(this.#agreedMs, atMs);
    return isSame;
  }
}

/** Levels of an event on both sides. */
export function levelsOf(event: Pick<DepthEvent, "bids" | "asks">): number {
  return (event.bids.length + event.asks.length) / 2;
}

/**
 * True when both have the same levels from the touch to `deepest`, the worst price in the snapshot. `sign` is 1 for asks.
 * An empty side has no deepest price: the snapshot covers it whole.
 */
function isSameDownTo(
  deepest: number | undefined,
  expected: FlatLevels,
  held: LevelBook["bids"],
  sign: 1 | -1,
): boolean {
  const isKnown = (price: number): boolean =>
    deepest === undefined || sign * price <= sign * deepest;
  const cursor = held.cursor();
  let at = 0;
  while (cursor.next() && isKnown(cursor.price)) {
    if (cursor.price !== expected[at] || cursor.quantity !== expected[at + 1]) return false;
    at += 2;
  }
  const next = expected[at];
  return next === undefined || !isKnown(next);
}
