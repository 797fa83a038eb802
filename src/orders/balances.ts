import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { addFixed, maxFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { AccountEvent, Balance, OrderEvent } from "../domain/order.ts";
import { DISPROVED_MS } from "./before-restart.ts";
import {
  accountChanges,
  orderChanges,
  pairSurplusOf,
  unpaidOf,
  type BalanceChange,
  type Need,
} from "./balance-change.ts";
import type { TrackedOrder } from "./tracked-order.ts";

interface Entry {
  readonly blockNumber: number;
  readonly arrivedMs: number;
  readonly changes: readonly BalanceChange[];
}

interface Back {
  readonly sinceMs: number;
  reports: number;
  readonly events: Map<string, Entry>;
}

/** See the kernel's settings of these names. */
export interface BalanceSettings {
  readonly countsPairLocks: boolean;
  readonly datesLocksByBlock: boolean;
  readonly doubtsEventBlocks: boolean;
  readonly doubtsOldReports: boolean;
  readonly provesRestarts: boolean;
  readonly remembersNodesBehind: boolean;
}

const settingsOfNow: BalanceSettings = {
  countsPairLocks: true,
  datesLocksByBlock: true,
  doubtsEventBlocks: true,
  doubtsOldReports: true,
  provesRestarts: true,
  remembersNodesBehind: true,
};

/** Most events kept since the last report, far more than arrive between two reports. */
const MAX_EVENTS = 10_000;
/**
 * A report that was requested this long after an event has it, whatever block the event names: no node is that far behind. The venue may
 * have lost its data since, and a run that had no report before cannot tell by the blocks.
 */
const EVENT_AHEAD_MS = 10_000;
/** Reports of lower blocks than the last one are of a cache or node that is behind, until they have come for this long and nothing else. */
const RESTARTED_MS = 10_000;
/** How often the time that proves a restart doubles, at most: to more than ten minutes. */
const DOUBLINGS_MAX = 6;
/** Fewer reports of lower blocks than this prove no restart, however far apart they are. */
const RESTARTED_REPORTS = 5;

/**
 * The account's balances: a REST report at a block, plus the user events of later blocks. An event of the report's block or of an
 * older one is already in the report, and a repeated event counts once. Events of foreign orders belong here too.
 *
 * `locked` follows D19 for plain limit orders. What the venue locks for stop orders and legs is exact after the next report, which
 * the kernel requests at once; until then `free` is too low rather than too high.
 */
export class Balances {
  readonly #held = new Map<TokenId, Balance>();
  readonly #events = new Map<string, Entry>();
  readonly #oldestEvent = new OldestKeyCursor(this.#events);
  #blockNumber: number | undefined;
  #queriedAtMs = Number.NEGATIVE_INFINITY;
  /** The ignored reports that nothing newer has followed: when the first was requested, their number, and the events of lower blocks since. */
  #back: Back | undefined;
  /** The last restart that was believed: the block before it, and when. */
  #restart: { readonly blockNumber: number; readonly atMs: number } | undefined;
  /** Believed restarts in a row that were none, since the blocks of before came again soon. */
  #disproved = 0;
  /** When the newest report of a lower block was requested. */
  #lastBackMs = Number.NEGATIVE_INFINITY;
  readonly #settings: BalanceSettings;

  constructor(settings = settingsOfNow) {
    this.#settings = settings;
  }

  /** Block of the last report; undefined before the first. */
  get blockNumber(): number | undefined {
    return this.#blockNumber;
  }

  /** A token's balance now; undefined before the first report. A token that the account never had is 0. */
  of(tokenId: TokenId): Balance | undefined {
    if (this.#blockNumber === undefined) return undefined;
    return this.#held.get(tokenId) ?? { tokenId, locked: ZERO, unlocked: ZERO };
  }

  /**
   * What new orders may use: `unlocked` minus the needs of `orders` that the venue has not locked yet, as far as we know. `orders`
   * are our live orders, and those with missing fills, whose payments the balance may not reflect yet. Never negative; undefined
   * before the first report.
   */
  free(tokenId: TokenId, orders: Iterable<TrackedOrder>): Fixed | undefined {
    const held = this.of(tokenId);
    if (held === undefined) return undefined;
    let free = held.unlocked;
    for (const order of orders) {
      const need = this.#isLocked(order)
        ? this.#unlockedSurplus(order)
        : unpaidOf(order, this.#settings.countsPairLocks);
      if (need?.tokenId === tokenId) free = subFixed(free, need.amount);
    }
    return maxFixed(ZERO, free);
  }

  /**
   * A balance response (§4.1), requested at `queriedAtMs`. Returns false when it is ignored, since its block is lower than that of the
   * last one. When such reports go on, the venue was restarted from scratch, and they are right.
   */
  report(balances: readonly Balance[], blockNumber: number, queriedAtMs: number): boolean {
    const isBack = this.#blockNumber !== undefined && blockNumber < this.#blockNumber;
    if (isBack && this.#settings.doubtsOldReports && !this.#isRestarted(queriedAtMs)) return false;
    const { events } = this.#back ?? {};
    this.#back = undefined;
    this.#judgeRestart(blockNumber, isBack, queriedAtMs);
    this.#blockNumber = blockNumber;
    this.#queriedAtMs = queriedAtMs;
    this.#held.clear();
    for (const balance of balances) this.#held.set(balance.tokenId, balance);
    for (const [key, entry] of this.#events) {
      const isLong =
        this.#settings.doubtsEventBlocks && queriedAtMs - entry.arrivedMs > EVENT_AHEAD_MS;
      if (isBack || isLong || entry.blockNumber <= blockNumber) this.#events.delete(key);
      else this.#apply(entry.changes);
    }
    if (isBack) for (const [key, entry] of events ?? []) this.#enter(key, entry);
    return true;
  }

  /** Counts a report of a lower block; true when only such reports have come for long enough. */
  #isRestarted(queriedAtMs: number): boolean {
    this.#back ??= { sinceMs: queriedAtMs, reports: 0, events: new Map() };
    this.#back.reports += 1;
    if (queriedAtMs - this.#lastBackMs > DISPROVED_MS) this.#disproved = 0;
    this.#lastBackMs = queriedAtMs;
    const isLong = queriedAtMs - this.#back.sinceMs >= RESTARTED_MS * 2 ** this.#disproved;
    return isLong && (this.#back.reports >= RESTARTED_REPORTS || !this.#settings.provesRestarts);
  }

  /** A report is believed. When it shows that the last restart was none, the next one takes longer to be believed. */
  #judgeRestart(blockNumber: number, isBack: boolean, nowMs: number): void {
    const before = this.#blockNumber;
    if (!this.#settings.remembersNodesBehind || before === undefined) return;
    const restart = this.#restart;
    if (restart !== undefined && blockNumber >= restart.blockNumber) {
      const isSoon = nowMs - restart.atMs <= DISPROVED_MS;
      this.#disproved = isSoon ? Math.min(DOUBLINGS_MAX, this.#disproved + 1) : 0;
      this.#restart = undefined;
    }
    if (isBack) this.#restart = { blockNumber: before, atMs: nowMs };
  }

  /** An ORDER event (§6.4) of any order of the account. */
  orderEvent(event: OrderEvent, nowMs: number): void {
    const { order, fill, eventType, blockNumber } = event;
    const key = `${order.orderId} ${eventType} ${fill?.tradeId ?? ""}`;
    this.#enter(key, { blockNumber, arrivedMs: nowMs, changes: orderChanges(event) });
  }

  /** An ACCOUNT event (§6.4). */
  accountEvent(event: AccountEvent, nowMs: number): void {
    const { txHash, eventType, tokenId, amount, blockNumber } = event;
    const key = `${txHash} ${eventType} ${tokenId} ${amount}`;
    this.#enter(key, { blockNumber, arrivedMs: nowMs, changes: accountChanges(event) });
  }

  #enter(key: string, entry: Entry): void {
    const isLater = this.#blockNumber === undefined || entry.blockNumber > this.#blockNumber;
    if (isLater && !this.#events.has(key)) this.#note(key, entry);
    if (isLater || this.#back === undefined || !this.#settings.provesRestarts) return;
    // If the venue was restarted, it is later than the report that will be believed.
    if (this.#back.events.size < MAX_EVENTS) this.#back.events.set(key, entry);
  }

  #note(key: string, entry: Entry): void {
    const { changes } = entry;
    if (changes.length === 0) return;
    this.#events.set(key, entry);
    // Before the first report there is no balance to change. The report applies the events that are later than itself.
    if (this.#blockNumber !== undefined) this.#apply(changes);
    if (this.#events.size <= MAX_EVENTS) return;
    // The change of a dropped event stays. Only a report older than the event would lack it.
    const oldest = this.#oldestEvent.next();
    if (oldest !== undefined) this.#events.delete(oldest);
  }

  #apply(changes: readonly BalanceChange[]): void {
    for (const { tokenId, locked, unlocked } of changes) {
      const held = this.#held.get(tokenId);
      this.#held.set(tokenId, {
        tokenId,
        locked: addFixed(held?.locked ?? ZERO, locked),
        unlocked: addFixed(held?.unlocked ?? ZERO, unlocked),
      });
    }
  }

  /** The part of a pair's lock that only a report shows: the event of the leg that carries it tells of that leg's own worth. */
  #unlockedSurplus(order: TrackedOrder): Need | undefined {
    const isInReport =
      order.eventBlock === undefined || order.eventBlock <= (this.#blockNumber ?? -1);
    return isInReport || !this.#settings.countsPairLocks ? undefined : pairSurplusOf(order);
  }

  /**
   * Whether the balance reflects the order's lock: one of its events was counted, or the venue had acknowledged it before the last
   * report was requested (D31). An acknowledgement in the same millisecond does not count as before. A report from a cache may be of a block before the order's.
   */
  #isLocked(order: TrackedOrder): boolean {
    // Nothing is locked for a leg before it is placed. Without a price its events show no lock (D24, D25).
    if (order.phase === "pending") return false;
    const hasLockInEvent = order.price > 0 || order.trigger === undefined;
    const { eventBlock } = order;
    if (eventBlock !== undefined) {
      if (hasLockInEvent || eventBlock <= (this.#blockNumber ?? -1)) return true;
      if (this.#settings.datesLocksByBlock) return false;
    }
    return order.ackedAtMs !== undefined && order.ackedAtMs < this.#queriedAtMs;
  }
}
