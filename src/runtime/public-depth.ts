import { BookSync } from "../book/book-sync.ts";
import type { BookSnapshot } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { BookFact } from "../kernel/freshness/book-fact.ts";
import { ChannelHealth } from "../kernel/freshness/channel-health.ts";
import { rereadMs } from "../kernel/freshness/rereads.ts";

/** As the defaults of a live bot. */
const CHECK_MS = 1_000;
const LIMIT_MS = 10_000;

/** The public book of one market, how old it is, and when its depth channel needs help. */
export class PublicDepth {
  readonly sync: BookSync;
  readonly book: BookFact;
  readonly #health: ChannelHealth;
  /** When the book was last requested, and when the request that is open was. */
  #requestedMs = Number.NEGATIVE_INFINITY;
  #openMs: number | undefined;

  constructor(marketId: MarketId) {
    this.sync = new BookSync(marketId);
    this.book = new BookFact(this.sync, CHECK_MS);
    this.#health = new ChannelHealth({ kind: "depth", marketId }, this.book.fresh);
  }

  /** The book is in sync, and its newest proof is young enough. */
  isCurrent(nowMs: number): boolean {
    return this.sync.live !== undefined && nowMs - this.book.fresh.provenMs <= LIMIT_MS;
  }

  /** The book is being requested over REST. */
  asked(nowMs: number): void {
    this.#requestedMs = nowMs;
    this.#openMs ??= nowMs;
  }

  /** The whole book over REST. Returns whether another read is needed. */
  read(snapshot: BookSnapshot, nowMs: number): boolean {
    const queriedMs = this.#openMs ?? nowMs;
    this.#openMs = undefined;
    return this.book.read(snapshot, queriedMs, nowMs) !== undefined;
  }

  /** Whether the book is suspect, or nothing has shown it for long, so that it has to be read. */
  isReadDue(nowMs: number): boolean {
    if (this.sync.live === undefined) return false;
    const fact = { fresh: this.book.fresh, limitMs: LIMIT_MS, requestedMs: this.#requestedMs };
    return rereadMs(fact, CHECK_MS) <= nowMs;
  }

  /** What to do after the book had to be corrected twice in a row; undefined while nothing is due. */
  heal(nowMs: number): "resubscribe" | "reconnect" | undefined {
    const hasFailed = this.#health.follow(nowMs)?.hasFailed === true;
    return hasFailed ? this.#health.attempt(nowMs) : undefined;
  }
}
