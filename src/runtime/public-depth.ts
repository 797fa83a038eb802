import { BookSync } from "../book/book-sync.ts";
import type { BookSnapshot, DepthEvent, Trade } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { ChannelHealing } from "../kernel/channels/channel-healing.ts";
import { goesThrough, judgeBook } from "../kernel/channels/depth-channel.ts";
import { type DepthCheck, DepthLiveness } from "../kernel/channels/depth-liveness.ts";

/** As the defaults of a live bot. */
const timing = { checkMs: 1_000, limitMs: 10_000, crossChecks: true, doubtsUnshownBooks: true };
/** Nothing that the feed reads tells the venue's clock, so the times of events say nothing. */
const noClock = { offsetMs: undefined, doubtMs: 0, queriedMs: 0 };

/** The public book of one market, and whether its depth channel delivers (D38). */
export class PublicDepth {
  readonly sync: BookSync;
  readonly healing = new ChannelHealing();
  readonly #liveness = new DepthLiveness(timing);
  #wasLive = false;

  constructor(marketId: MarketId) {
    this.sync = new BookSync(marketId);
  }

  /** The book is in sync, and the channel that keeps it so is not behind. */
  get isCurrent(): boolean {
    return this.sync.live !== undefined && !this.isBehind;
  }

  get isBehind(): boolean {
    return this.#liveness.behindSinceMs !== Number.POSITIVE_INFINITY;
  }

  /** A sign proves the channel behind, so that a new subscription may help. */
  get isProven(): boolean {
    return this.#liveness.isProven;
  }

  /** What proved the channel behind; empty while it is not. */
  get reason(): string {
    return this.#liveness.reason;
  }

  /** Before the book takes an event, a snapshot or a whole book. */
  depth(event: DepthEvent, nowMs: number): void {
    this.#liveness.event(event.finalId, event.timeMs, nowMs);
  }

  audit(snapshot: BookSnapshot, nowMs: number): void {
    this.#liveness.snapshot(snapshot.lastId, nowMs);
  }

  book(snapshot: BookSnapshot, nowMs: number): void {
    judgeBook(this.#liveness, this.sync, snapshot, nowMs, nowMs);
  }

  trade({ price, timeMs }: Trade, nowMs: number): void {
    const { live } = this.sync;
    if (live !== undefined && goesThrough(live, price)) this.#liveness.tradeThrough(timeMs, nowMs);
  }

  /** Call it after every input: says what has to be read. */
  judge(nowMs: number): DepthCheck {
    const isLive = this.sync.live !== undefined;
    if (!isLive) this.#liveness.lost();
    else if (!this.#wasLive) this.#liveness.synced(this.sync.lastId, nowMs);
    this.#wasLive = isLive;
    return isLive ? this.#liveness.judge(noClock, nowMs) : "none";
  }
}
