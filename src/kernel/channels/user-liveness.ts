import type { OrderId } from "../../domain/ids.ts";
import { ChannelLag, type ClockReading } from "./channel-lag.ts";
import { LAG_MEMORY_MS } from "./depth-liveness.ts";
import { KnownLag } from "./known-lag.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** Most orders whose event is awaited. Further ones prove nothing that these do not. */
const AWAITED_MAX = 256;
/** A channel that was subscribed to anew counts as live after this long without a sign, if no event has proven it before. */
const QUIET_MS = 10_000;
/** A channel that delivers, but late, is behind only when it is this much later than before. */
const LATER = 1.5;
/** Queries that showed nothing are repeated after about this many checks, all at once: they may have failed. */
const CHECKS_BETWEEN_QUERIES = 5;

/** What happened to an order, so that an event has to tell of it: REST accepted a command, or another source showed it. */
export type AwaitedEvent = "placement" | "cancel" | "trade" | "report";

interface Awaited {
  readonly type: AwaitedEvent;
  /** Since when the event is awaited, our clock. */
  readonly sinceMs: number;
  /** When it happened, venue time. */
  readonly timeMs: number;
  /** A later event has come: this one is lost, but the channel delivers. */
  isPassed: boolean;
  /** When it was queried over REST; undefined before. */
  queriedMs: number | undefined;
  /** REST has shown what the event should have told. */
  isProven: boolean;
}

export interface UserLivenessTiming {
  /** An event that is awaited for this long is queried over REST; after a public trade, for half of it. */
  readonly checkMs: number;
  /** Events that are later than this prove the channel behind: the shortest limit of the rule `stale-book`. */
  readonly limitMs: number;
  /** A lag is remembered over new subscriptions. False in journals that are older than that. */
  readonly crossChecks?: boolean;
  /** A query that showed nothing is repeated. False in journals that are older than that. */
  readonly repeatsQueries?: boolean;
}

/**
 * Judges whether the user channel delivers (D38): an accepted command, a public trade of an own order and a report over REST each
 * have an event. One that does not arrive, although REST shows what it should tell, proves the channel dead. All times are ours,
 * unless they are called venue time.
 */
export class UserLiveness {
  readonly #timing: UserLivenessTiming;
  /** By order, the oldest first. */
  readonly #awaited = new Map<OrderId, Awaited>();
  readonly #lag = new ChannelLag();
  #openedMs = NEVER;
  /** How long events that came were awaited. */
  readonly #knownLag: KnownLag;
  #lastEventMs = Number.NEGATIVE_INFINITY;
  #hasDelivered = false;
  #behindSinceMs = NEVER;
  #reason = "";
  /** The channel was behind since then and counts as live only because no further sign came: no event has shown it. */
  #doubtedSinceMs = NEVER;
  /** It was subscribed to anew since it was proven behind, and nothing has spoken against it since. */
  #isOnTrial = false;

  constructor(timing: UserLivenessTiming) {
    this.#timing = timing;
    this.#knownLag = new KnownLag(timing.crossChecks === true ? LAG_MEMORY_MS : 0);
  }

  /** Since when the channel is behind; Infinity while it is not. */
  get behindSinceMs(): number {
    return this.#behindSinceMs;
  }

  /** What proved the channel behind; empty while it is not. */
  get reason(): string {
    return this.#reason;
  }

  /** When the channel was opened, if it is behind and new orders have to show whether it delivers now; otherwise undefined. */
  get onTrialSinceMs(): number | undefined {
    return this.#isOnTrial ? this.#openedMs : undefined;
  }

  /** When the channel last delivered, our clock; -Infinity before the first event. */
  get lastEventMs(): number {
    return this.#lastEventMs;
  }

  /** Number of orders whose event is awaited. */
  get size(): number {
    return this.#awaited.size;
  }

  /** The channel was subscribed to. Events from before do not come any more. */
  opened(nowMs: number): void {
    this.closed();
    this.#openedMs = nowMs;
    this.#hasDelivered = false;
    this.#knownLag.opened();
    this.#isOnTrial = this.#behindSinceMs !== NEVER;
  }

  closed(): void {
    this.#awaited.clear();
    this.#lag.forget();
    this.#openedMs = NEVER;
    this.#isOnTrial = false;
  }

  /** An event of the user channel arrived. `timeMs`: venue time. `orderId`: undefined for an event of the account. */
  event(orderId: OrderId | undefined, timeMs: number, nowMs: number): void {
    this.#hasDelivered = true;
    this.#lastEventMs = nowMs;
    this.#lag.arrived(timeMs, nowMs);
    if (this.#awaited.size === 0) return;
    if (orderId !== undefined) {
      const awaited = this.#awaited.get(orderId);
      if (awaited !== undefined) this.#knownLag.note(nowMs - awaited.sinceMs, nowMs);
      this.#awaited.delete(orderId);
    }
    for (const [id, awaited] of this.#awaited) {
      if (awaited.timeMs > timeMs) continue;
      // The order still has to be queried if it was not.
      if (awaited.queriedMs !== undefined) this.#awaited.delete(id);
      else awaited.isPassed = true;
    }
  }

  /** An event about this order has to come. `timeMs`: when it happened, venue time. */
  expectEvent(orderId: OrderId, type: AwaitedEvent, timeMs: number, nowMs: number): void {
    if (this.#openedMs === NEVER || this.#awaited.has(orderId)) return;
    if (this.#awaited.size >= AWAITED_MAX) return;
    const isProven = type === "report";
    this.#awaited.set(orderId, {
      type,
      sinceMs: nowMs,
      timeMs,
      isPassed: false,
      queriedMs: isProven ? nowMs : undefined,
      isProven,
    });
  }

  /** Whether something at this venue time happened while the channel was open, by a clear margin. */
  isOpenAt(timeMs: number, { offsetMs }: ClockReading): boolean {
    return offsetMs !== undefined && timeMs - offsetMs > this.#openedMs + 1000;
  }

  /** The venue, queried at `queriedMs`, has shown the order; `hasEnded`: as over. */
  shown(orderId: OrderId, hasEnded: boolean, queriedMs: number): void {
    const awaited = this.#awaited.get(orderId);
    if (awaited === undefined || queriedMs < awaited.sinceMs) return;
    if (awaited.type === "cancel" && !hasEnded) return;
    awaited.isProven = true;
  }

  /** The venue does not know the order: there is no event about it. */
  absent(orderId: OrderId): void {
    this.#awaited.delete(orderId);
  }

  /** The next order to query, since its event is overdue and REST has not shown it. Call it until it returns undefined. */
  nextToQuery(nowMs: number): OrderId | undefined {
    if (this.#awaited.size === 0) return undefined;
    for (const [orderId, awaited] of this.#awaited) {
      if (this.#dueMs(awaited) > nowMs) continue;
      awaited.queriedMs = nowMs;
      if (awaited.isPassed) this.#awaited.delete(orderId);
      return orderId;
    }
    return undefined;
  }

  /** Call it once a step while the channel is open. It updates `behindSinceMs`; true when the venue's clock has to be read. */
  judge(clock: ClockReading, nowMs: number): boolean {
    const lag = this.#lag.judge(clock, this.#timing.limitMs, nowMs);
    const sinceMs = lag === "late" ? this.#lag.happenedMs(clock) : this.#overdueSinceMs(nowMs);
    if (sinceMs !== NEVER) {
      this.#prove(sinceMs, lag === "late" ? "its events are late" : "an event did not come");
    } else if (lag === "unproven") {
      return true;
    } else if (this.#hasDelivered) {
      this.#doubtedSinceMs = NEVER;
      this.#live();
    } else if (nowMs >= this.quietMs && this.#awaited.size === 0) {
      this.#doubtedSinceMs = this.#behindSinceMs;
      this.#live();
    }
    return false;
  }

  /** When the next event is overdue; Infinity for never. */
  nextMs(nowMs: number): number {
    let nextMs = this.quietMs;
    for (const awaited of this.#awaited.values()) {
      const dueMs = this.#dueMs(awaited);
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs);
      if (awaited.queriedMs === undefined) continue;
      const overdueMs = awaited.sinceMs + this.#overdueMs;
      if (overdueMs > nowMs) nextMs = Math.min(nextMs, overdueMs);
    }
    return nextMs;
  }

  /** When a channel that is on trial counts as live if no sign comes; Infinity for never. */
  get quietMs(): number {
    return this.#isOnTrial ? this.#openedMs + QUIET_MS : NEVER;
  }

  /** Since when the oldest event is awaited that REST proves to be missing; Infinity for none. */
  #overdueSinceMs(nowMs: number): number {
    for (const { isProven, sinceMs } of this.#awaited.values()) {
      if (isProven && nowMs - sinceMs >= this.#overdueMs) return sinceMs;
    }
    return NEVER;
  }

  /** A missing event counts after this long: if the channel delivers, but late, only when it is later still. */
  get #overdueMs(): number {
    // A trial is not made longer by how late the channel was before.
    if (this.#isOnTrial && this.#timing.crossChecks === true) return this.#timing.checkMs;
    return Math.max(
      this.#timing.checkMs,
      Math.min(LATER * this.#knownLag.ms, this.#timing.limitMs),
    );
  }

  /** When to query the order; Infinity for not again. */
  #dueMs({ type, sinceMs, queriedMs, isProven }: Awaited): number {
    const { checkMs, repeatsQueries } = this.#timing;
    if (queriedMs !== undefined) {
      if (isProven || repeatsQueries !== true) return NEVER;
      // Many orders cost few requests only when they are due in the same step.
      const everyMs = CHECKS_BETWEEN_QUERIES * checkMs;
      return Math.round(queriedMs / everyMs + 1) * everyMs;
    }
    return sinceMs + checkMs / (type === "trade" ? 2 : 1);
  }

  #prove(sinceMs: number, reason: string): void {
    this.#isOnTrial = false;
    // Only events after this can show that the channel delivers.
    this.#hasDelivered = false;
    if (this.#behindSinceMs !== NEVER) return;
    this.#behindSinceMs = Math.min(sinceMs, this.#doubtedSinceMs);
    this.#reason = reason;
  }

  #live(): void {
    this.#behindSinceMs = NEVER;
    this.#reason = "";
    this.#isOnTrial = false;
  }
}
