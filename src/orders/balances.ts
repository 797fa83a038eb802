import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { addFixed, maxFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { AccountEvent, Balance, OrderEvent } from "../domain/order.ts";
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

/** Most events remembered, far more than arrive in ten seconds. */
const EVENTS_MAX = 10_000;
/** A report that was requested this long after an event contains it, whatever block the event names. */
const EVENT_AGE_MAX_MS = 10_000;
/** Reports of lower blocks are of a cache or a node that is behind, until nothing else has come for this long. */
const BACK_MAX_MS = 10_000;

/**
 * The account's balances: the last REST report, plus the user events of later blocks. A report of block B contains every event of a
 * block up to B, and every event that came ten seconds before it was requested. A repeated event counts once. Events of foreign orders
 * belong here too. A report of a lower block than the last one is ignored for ten seconds, then believed.
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
  /** When the first of the reports was requested that were of lower blocks, one after the other. */
  #backSinceMs: number | undefined;

  /** Block of the last report; undefined before the first. */
  get blockNumber(): number | undefined {
    return this.#blockNumber;
  }

  /** A token's balance now; undefined before the first report. A token that the account never had is 0. */
  of(tokenId: TokenId): Balance | undefined {
    if (this.#blockNumber === undefined) return undefined;
    return this.#held.get(tokenId) ?? { tokenId, locked: ZERO, unlocked: ZERO };
  }

  /** What the account has of a token, locked or not; undefined before the first report. */
  total(tokenId: TokenId): Fixed | undefined {
    const held = this.of(tokenId);
    return held && addFixed(held.locked, held.unlocked);
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
      const need = this.#isLocked(order) ? this.#unlockedSurplus(order) : unpaidOf(order);
      if (need?.tokenId === tokenId) free = subFixed(free, need.amount);
    }
    return maxFixed(ZERO, free);
  }

  /** A balance response (§4.1), requested at `queriedAtMs`. Returns false when it is ignored, since its block is too low. */
  report(balances: readonly Balance[], blockNumber: number, queriedAtMs: number): boolean {
    if (blockNumber < (this.#blockNumber ?? blockNumber)) {
      this.#backSinceMs ??= queriedAtMs;
      if (queriedAtMs - this.#backSinceMs < BACK_MAX_MS) return false;
    }
    this.#backSinceMs = undefined;
    this.#blockNumber = blockNumber;
    this.#queriedAtMs = queriedAtMs;
    this.#held.clear();
    for (const balance of balances) this.#held.set(balance.tokenId, balance);
    for (const [key, entry] of this.#events) {
      if (queriedAtMs - entry.arrivedMs > EVENT_AGE_MAX_MS) this.#events.delete(key);
      else if (entry.blockNumber > blockNumber) this.#apply(entry.changes);
    }
    return true;
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
    if (entry.changes.length === 0 || this.#events.has(key)) return;
    this.#events.set(key, entry);
    // Before the first report there is no balance to change. The report applies the events that are later than itself.
    const { blockNumber = Number.POSITIVE_INFINITY } = this;
    if (entry.blockNumber > blockNumber) this.#apply(entry.changes);
    if (this.#events.size <= EVENTS_MAX) return;
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
    return isInReport ? undefined : pairSurplusOf(order);
  }

  /**
   * Whether the balance reflects the order's lock: one of its events was counted, or the venue had acknowledged it before the last
   * report was requested (D31). An acknowledgement in the same millisecond does not count as before. A report from a cache may be of a block before the order's.
   */
  #isLocked(order: TrackedOrder): boolean {
    // Nothing is locked for a leg before it is placed. Without a price its events show no lock (D19, D24, D25).
    if (order.phase === "pending") return false;
    const { eventBlock } = order;
    if (eventBlock !== undefined) {
      return order.price > 0 || eventBlock <= (this.#blockNumber ?? -1);
    }
    return order.ackedAtMs !== undefined && order.ackedAtMs < this.#queriedAtMs;
  }
}
