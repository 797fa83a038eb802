import { ChannelLag, type ClockReading } from "./channel-lag.ts";
import { IdMarks } from "../rivals/id-marks.ts";
import { KnownLag } from "./known-lag.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** A channel that was subscribed to anew may count as live after this long without a sign, if no event has shown it before. */
const QUIET_MS = 10_000;
/** A channel that delivers, but late, is checked only when it is this much later than before. */
const LATER = 1.5;
/** For how long a lag of the channel is remembered. */
export const LAG_MEMORY_MS = 600_000;

export interface DepthLivenessTiming {
  /** A sign that stands for this long is checked over REST. */
  readonly checkMs: number;
  /** A sign that stands for this long proves the channel behind by itself: the limit of the rule `stale-book`. */
  readonly limitMs: number;
  /** Silence, own changes and wrong books count too. False in journals that are older than those signs. */
  readonly crossChecks?: boolean;
  /**
   * A channel is behind when nothing shows its book for twice the limit, and a book over REST is as old as its request. False in journals that
   * are older than that.
   */
  readonly doubtsUnshownBooks?: boolean;
}

/** What the caller has to do to check a sign: read the book over REST, or read the venue's clock. */
export type DepthCheck = "none" | "book" | "clock";

/**
 * Judges whether the depth channel of one market delivers, by sources that are ahead of it (D38): snapshots, public trades, own
 * orders, whole books over REST, and the times of its events. Pongs and other channels prove nothing, and silence has the book read
 * over REST. All times are ours, unless they are called venue time. No method allocates.
 */
export class DepthLiveness {
  readonly #timing: DepthLivenessTiming;
  readonly #marks: IdMarks;
  readonly #lag = new ChannelLag();
  /** Highest id that the channel has delivered, or the id of the book that was synced last. */
  #reachedId = 0;
  #syncedMs = NEVER;
  #syncedId = 0;
  #hasDelivered = false;
  /** When a sign stood last. */
  #lastSignMs = Number.NEGATIVE_INFINITY;
  /** REST has shown the book unchanged after some time without a sign. */
  #isQuiet = false;
  /** How long the oldest sign had stood when the channel delivered. */
  readonly #knownLag: KnownLag;
  #tradeSinceMs = NEVER;
  /** Venue time of that trade. */
  #tradeTimeMs = 0;
  #orderSinceMs = NEVER;
  #lateSinceMs = NEVER;
  /** A change of an own order, which an event of this venue time or later has to show. */
  #ownSinceMs = NEVER;
  #ownTimeMs = 0;
  /** REST has shown changes that the channel has not delivered: it has to reach this id. A book over REST cannot withdraw that. */
  #missedSinceMs = NEVER;
  #missedId = 0;
  /** When the channel, a snapshot or REST last showed the book; Infinity while it is not in sync. */
  #shownMs = NEVER;
  /** The same, or when the book was last to be read because of silence. */
  #checkedMs = NEVER;
  /** Since when nothing has shown the book, although it was to be read; Infinity while it is shown. */
  #unshownSinceMs = NEVER;
  /** A comparison at equal ids has found the book wrong, and none since has found it right. A new sync does not withdraw that. */
  #wrongSinceMs = NEVER;
  /** The book is not read again before this time. */
  #nextCheckMs = 0;
  #behindSinceMs = NEVER;
  #provenMs = NEVER;
  #reason = "";
  /** The channel was behind since then and counts as live only because no further sign came: no event has shown it. */
  #doubtedSinceMs = NEVER;

  constructor(timing: DepthLivenessTiming) {
    this.#timing = timing;
    this.#knownLag = new KnownLag(timing.crossChecks === true ? LAG_MEMORY_MS : 0);
    // Twice the limit fits into the marks, so that no lag beyond the limit is missed.
    this.#marks = new IdMarks(Math.min(timing.limitMs, 60_000) / 32);
  }

  /** Since when the channel is behind, also over resyncs of the book; Infinity while it is not. */
  get behindSinceMs(): number {
    return Math.min(this.#behindSinceMs, this.#unshownSinceMs);
  }

  /** Why the channel is behind; empty while it is not. */
  get reason(): string {
    return this.#behindSinceMs === NEVER && this.#unshownSinceMs !== NEVER
      ? "nothing shows its book"
      : this.#reason;
  }

  /** A sign proves the channel behind. Without one a new subscription does not help: it needs the book over REST that cannot be read. */
  get isProven(): boolean {
    return this.#behindSinceMs !== NEVER;
  }

  /** Since when a sign stands that the channel is behind; Infinity for none. */
  get signSinceMs(): number {
    return Math.min(
      this.#marks.sinceMs,
      this.#tradeSinceMs,
      this.#orderSinceMs,
      this.#lateSinceMs,
      this.#ownSinceMs,
      this.#missedSinceMs,
    );
  }

  /** The book was found wrong and not yet right again. */
  get isWrong(): boolean {
    return this.#wrongSinceMs !== NEVER;
  }

  /** The book was synced at this id, by one over REST that was requested at `queriedMs`: signs from before say nothing about it. */
  synced(id: number, nowMs: number, queriedMs = nowMs): void {
    this.lost();
    this.#reachedId = id;
    this.#syncedId = id;
    this.#syncedMs = nowMs;
    this.#hasDelivered = false;
    this.#isQuiet = false;
    this.#shown(this.#readMs(queriedMs, nowMs));
    this.#knownLag.opened();
  }

  /** The book is not in sync. */
  lost(): void {
    this.#marks.clear();
    this.#clearSigns();
    this.#missedSinceMs = NEVER;
    this.#syncedMs = NEVER;
    this.#shown(NEVER);
  }

  /** A depth event arrived. `timeMs`: venue time. */
  event(finalId: number, timeMs: number, nowMs: number): void {
    this.#lag.arrived(timeMs, nowMs);
    const lagMs = Math.max(0, nowMs - this.signSinceMs);
    if (finalId >= this.#missedId) this.#missedSinceMs = NEVER;
    if (finalId <= this.#reachedId) return;
    this.#knownLag.note(lagMs, nowMs);
    this.#reachedId = finalId;
    if (this.#shownMs !== NEVER) this.#shown(nowMs);
    this.#marks.reached(finalId);
    if (finalId > this.#syncedId) this.#hasDelivered = true;
    if (timeMs >= this.#tradeTimeMs) this.#tradeSinceMs = NEVER;
    if (timeMs >= this.#ownTimeMs) this.#ownSinceMs = NEVER;
    this.#orderSinceMs = NEVER;
  }

  /** A `depthSnapshot@` message with this id arrived. */
  snapshot(id: number, nowMs: number): void {
    if (this.#syncedMs === NEVER) return;
    if (id > this.#reachedId) this.#marks.add(id, nowMs);
    else if (id === this.#reachedId) this.#shown(nowMs);
  }

  /** A public trade at a price beyond the touch of the live book arrived. `timeMs`: venue time. */
  tradeThrough(timeMs: number, nowMs: number): void {
    if (this.#tradeSinceMs !== NEVER || timeMs <= this.#lag.newestMs) return;
    this.#tradeSinceMs = nowMs;
    this.#tradeTimeMs = timeMs;
  }

  /** REST acknowledged an own order that the live book does not show. */
  orderMissing(nowMs: number): void {
    this.#orderSinceMs = Math.min(this.#orderSinceMs, nowMs);
  }

  /** An own order was placed, filled or canceled at this venue time, so that the book has changed. */
  ownChange(timeMs: number, nowMs: number): void {
    if (this.#timing.crossChecks !== true || this.#syncedMs === NEVER) return;
    if (this.#ownSinceMs !== NEVER || timeMs <= this.#lag.newestMs) return;
    this.#ownSinceMs = nowMs;
    this.#ownTimeMs = timeMs;
  }

  /** The book is to be read over REST soon, although no sign stands. */
  doubt(): void {
    if (this.#syncedMs !== NEVER) this.#checkedMs = 0;
  }

  /** The book was compared with another one at the same id. A second one that differs proves that the channel's events are wrong. */
  compared(isSame: boolean, nowMs: number): void {
    if (this.#timing.crossChecks !== true) return;
    if (!isSame && this.#wrongSinceMs === NEVER) this.#wrongSinceMs = nowMs;
    else if (!isSame) this.#prove(this.#wrongSinceMs, "its events make a wrong book", nowMs);
    // Without an event of the channel the book is still that of its last sync.
    else if (this.#hasDelivered) this.#wrongSinceMs = NEVER;
  }

  /** A whole book from REST, requested at `queriedMs`, has the same levels as ours at this id. It says nothing about later signs. */
  same(id: number, queriedMs: number, nowMs: number): void {
    const atMs = this.#readMs(queriedMs, nowMs);
    this.#isQuiet = nowMs >= this.quietMs;
    this.#marks.reached(id);
    this.#clearSigns(atMs);
    // A sign that arose meanwhile has waited for this response, so the next one must not come after the limit.
    if (this.#withdrawableMs !== NEVER) this.#nextCheckMs = nowMs;
    this.#reachedId = Math.max(this.#reachedId, id);
    this.#shownByRest(atMs);
  }

  /**
   * A whole book from REST, requested at `queriedMs`, is newer than ours and differs. It proves a sign that has stood long enough to be
   * checked.
   */
  newer(id: number, queriedMs: number, nowMs: number): void {
    const sinceMs = this.signSinceMs;
    const reason = this.#signText();
    this.#clearSigns();
    this.#shownByRest(this.#readMs(queriedMs, nowMs));
    if (id > this.#reachedId) this.#missed(id, nowMs);
    if (nowMs - sinceMs >= this.#waitMs) this.#prove(sinceMs, reason, nowMs);
  }

  /** Call it once a step while the book is live. It updates `behindSinceMs` and returns what has to be read. */
  judge(clock: ClockReading, nowMs: number): DepthCheck {
    const { limitMs, checkMs } = this.#timing;
    const lag = this.#lag.judge(clock, limitMs, nowMs);
    if (lag !== "late") this.#lateSinceMs = NEVER;
    else if (this.#lateSinceMs === NEVER) this.#lateSinceMs = this.#lag.happenedMs(clock);
    const sinceMs = this.signSinceMs;
    if (sinceMs !== NEVER || lag !== "timely") this.#lastSignMs = nowMs;
    const missedForMs = nowMs - this.#missedSinceMs;
    if (nowMs - sinceMs > limitMs || missedForMs >= this.#waitMs) {
      this.#prove(sinceMs, this.#signText(), nowMs);
    } else if (nowMs >= this.#unshownMs) {
      this.#unshownSinceMs = Math.min(this.#shownMs + limitMs, this.#doubtedSinceMs);
    } else if (lag !== "unproven") this.#recover();
    if (lag === "unproven") return "clock";
    if (this.checkMs > nowMs) return "none";
    this.#nextCheckMs = nowMs + 2 * checkMs;
    this.#checkedMs = nowMs;
    return "book";
  }

  /** When the book has to be read, to check a sign, a silent channel, or one without a sign that was behind; Infinity for never. */
  get checkMs(): number {
    const dueMs = Math.min(this.signSinceMs + this.#waitMs, this.quietMs, this.#silenceMs);
    return dueMs === NEVER ? NEVER : Math.max(dueMs, this.#nextCheckMs);
  }

  /** How long a sign stands before it is checked. */
  get #waitMs(): number {
    return Math.max(this.#timing.checkMs, LATER * this.#knownLag.ms);
  }

  /** When the channel has been silent for so long that the book has to be read; Infinity for never. */
  get #silenceMs(): number {
    return this.#timing.crossChecks === true ? this.#checkedMs + this.#timing.limitMs : NEVER;
  }

  /** When nothing has shown the book for twice the limit, although it was to be read; Infinity for never. */
  get #unshownMs(): number {
    const { limitMs, checkMs, doubtsUnshownBooks } = this.#timing;
    // A response has as long as the read waits, which a short limit does not shorten.
    return doubtsUnshownBooks === true ? this.#shownMs + 2 * Math.max(limitMs, 2 * checkMs) : NEVER;
  }

  /** When a channel that is behind counts as live if REST shows the book unchanged; Infinity for never. */
  get quietMs(): number {
    if (this.#behindSinceMs === NEVER || this.#syncedMs < this.#provenMs) return NEVER;
    const sinceMs = Math.max(this.#syncedMs, this.#lastSignMs);
    return sinceMs + Math.min(this.#timing.limitMs, QUIET_MS);
  }

  /** When it has to be judged next if nothing happens; Infinity for never. */
  nextMs(nowMs: number): number {
    const limitMs = this.signSinceMs + this.#timing.limitMs + 1;
    const missedMs = this.#missedSinceMs + this.#waitMs;
    let nextMs = NEVER;
    for (const atMs of [limitMs, missedMs, this.#unshownMs, this.checkMs]) {
      if (atMs > nowMs) nextMs = Math.min(nextMs, atMs);
    }
    return nextMs;
  }

  /** Of which time a book over REST is at least. In older journals it was that of the response. */
  #readMs(queriedMs: number, nowMs: number): number {
    return this.#timing.doubtsUnshownBooks === true ? queriedMs : nowMs;
  }

  /** Something may have shown the book since it was requested. */
  #shownByRest(atMs: number): void {
    this.#shown(this.#shownMs === NEVER ? atMs : Math.max(atMs, this.#shownMs));
  }

  #shown(atMs: number): void {
    this.#shownMs = atMs;
    this.#checkedMs = atMs;
  }

  #prove(sinceMs: number, reason: string, nowMs: number): void {
    if (this.#behindSinceMs !== NEVER) return;
    this.#behindSinceMs = Math.min(sinceMs, this.#doubtedSinceMs, this.#unshownSinceMs);
    this.#provenMs = nowMs;
    this.#reason = reason;
    this.#hasDelivered = false;
  }

  /**
   * No sign is older than the limit. An event of the channel ends every doubt. Without one, a book that REST showed unchanged lets it
   * count as live.
   */
  #recover(): void {
    if (this.#missedSinceMs !== NEVER) return;
    this.#unshownSinceMs = NEVER;
    if (this.isWrong && (this.#hasDelivered || !this.#isQuiet)) return;
    if (this.#hasDelivered) this.#doubtedSinceMs = NEVER;
    else if (!this.#isQuiet) return;
    else if (this.#behindSinceMs !== NEVER) this.#doubtedSinceMs = this.#behindSinceMs;
    this.#isQuiet = false;
    this.#behindSinceMs = NEVER;
    this.#provenMs = NEVER;
    this.#reason = "";
  }

  /** Since when a sign stands that a book over REST with the same levels withdraws; Infinity for none. */
  get #withdrawableMs(): number {
    return Math.min(this.#tradeSinceMs, this.#orderSinceMs, this.#ownSinceMs);
  }

  /** Withdraws the signs that arose until `untilMs`. */
  #clearSigns(untilMs = NEVER): void {
    if (this.#tradeSinceMs <= untilMs) this.#tradeSinceMs = NEVER;
    if (this.#orderSinceMs <= untilMs) this.#orderSinceMs = NEVER;
    if (this.#ownSinceMs <= untilMs) this.#ownSinceMs = NEVER;
    this.#lateSinceMs = NEVER;
    this.#lag.forget();
  }

  /** REST has shown a newer book. In older journals that is a mark like those of snapshots. */
  #missed(id: number, nowMs: number): void {
    if (this.#timing.crossChecks !== true) this.#marks.add(id, nowMs);
    else if (this.#missedSinceMs === NEVER) {
      this.#missedSinceMs = nowMs;
      this.#missedId = id;
    }
  }

  /** What the oldest sign is. */
  #signText(): string {
    const sinceMs = this.signSinceMs;
    if (sinceMs === this.#lateSinceMs) return "its events are late";
    if (sinceMs === this.#marks.sinceMs) return "a snapshot is newer than the book";
    if (sinceMs === this.#tradeSinceMs) return "a trade went through the book's touch";
    if (sinceMs === this.#ownSinceMs) return "a change of an own order is not in the book";
    if (sinceMs === this.#missedSinceMs) return "REST shows changes that did not come";
    return "an own order is not in the book";
  }
}
