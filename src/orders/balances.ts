import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { addFixed, maxFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { AccountEvent, Balance, OrderEvent } from "../domain/order.ts";
import { accountChanges, orderChanges, unpaidOf, type BalanceChange } from "./balance-change.ts";
import type { TrackedOrder } from "./tracked-order.ts";

interface Entry {
  readonly blockNumber: number;
  readonly changes: readonly BalanceChange[];
}

/** Events kept since the last report: far more than the time between two reports brings. */
const MAX_EVENTS = 10_000;

/**
 * The account's balances: what REST said at a block, plus what user events of later blocks changed. They are joined as for
 * the book: an event of the report's block or an older one is in the report already and counts no second time, and an
 * event that comes twice counts once. All events of the account belong here, foreign orders' too.
 *
 * `locked` follows D19 for plain limit orders; what a venue locks otherwise (stop, tpsl) is right again with the next report,
 * which the kernel asks for at once, and until then is rather too much than too little.
 */
export class Balances {
  readonly #held = new Map<TokenId, Balance>();
  readonly #events = new Map<string, Entry>();
  readonly #oldestEvent = new OldestKeyCursor(this.#events);
  #blockNumber: number | undefined;
  #queriedAtMs = Number.NEGATIVE_INFINITY;

  /** Block of the last report; undefined before the first. */
  get blockNumber(): number | undefined {
    return this.#blockNumber;
  }

  /** A token's balance as of now; undefined before the first report. A token that the account never had is 0. */
  of(tokenId: TokenId): Balance | undefined {
    if (this.#blockNumber === undefined) return undefined;
    return this.#held.get(tokenId) ?? { tokenId, locked: ZERO, unlocked: ZERO };
  }

  /**
   * What new orders may use: `unlocked` less what `orders` need that the venue has not locked yet, as far as we know: our
   * orders that are not over, and those whose fills are not all known, since what they paid may not be taken off yet. Never
   * negative; undefined before the first report.
   */
  free(tokenId: TokenId, orders: Iterable<TrackedOrder>): Fixed | undefined {
    const held = this.of(tokenId);
    if (held === undefined) return undefined;
    let free = held.unlocked;
    for (const order of orders) {
      if (this.#isLocked(order)) continue;
      const need = unpaidOf(order);
      if (need.tokenId === tokenId) free = subFixed(free, need.amount);
    }
    return maxFixed(ZERO, free);
  }

  /** A balance response (§4.1), requested at `queriedAtMs`. A block number that went back means that the venue started anew: only its new balances count. */
  report(balances: readonly Balance[], blockNumber: number, queriedAtMs: number): void {
    const isBack = this.#blockNumber !== undefined && blockNumber < this.#blockNumber;
    this.#blockNumber = blockNumber;
    this.#queriedAtMs = queriedAtMs;
    this.#held.clear();
    for (const balance of balances) this.#held.set(balance.tokenId, balance);
    for (const [key, entry] of this.#events) {
      if (isBack || entry.blockNumber <= blockNumber) this.#events.delete(key);
      else this.#apply(entry.changes);
    }
  }

  /** An ORDER event (§6.4) of any order of the account. */
  orderEvent(event: OrderEvent): void {
    const { order, fill, eventType, blockNumber } = event;
    const key = `${order.orderId} ${eventType} ${fill?.tradeId ?? ""}`;
    if (this.#isNew(key, blockNumber)) this.#note(key, blockNumber, orderChanges(event));
  }

  /** An ACCOUNT event (§6.4). */
  accountEvent(event: AccountEvent): void {
    const { txHash, eventType, tokenId, amount, blockNumber } = event;
    const key = `${txHash} ${eventType} ${tokenId} ${amount}`;
    if (this.#isNew(key, blockNumber)) this.#note(key, blockNumber, accountChanges(event));
  }

  #isNew(key: string, blockNumber: number): boolean {
    const isLater = this.#blockNumber === undefined || blockNumber > this.#blockNumber;
    return isLater && !this.#events.has(key);
  }

  #note(key: string, blockNumber: number, changes: readonly BalanceChange[]): void {
    if (changes.length === 0) return;
    this.#events.set(key, { blockNumber, changes });
    // Before the first report there is nothing to change yet: the report takes what is later than itself.
    if (this.#blockNumber !== undefined) this.#apply(changes);
    if (this.#events.size <= MAX_EVENTS) return;
    // What it changed stays; only a report from before it would miss it.
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

  /**
   * An event about it was counted here, or it stood at the venue when the last report was asked for (D31): in the same
   * millisecond is not surely before.
   */
  #isLocked(order: TrackedOrder): boolean {
    // Nothing is locked for a leg before it is placed, and its events tell of no lock where it has no price (D24, D25).
    if (order.phase === "pending") return false;
    const isTold = order.price > 0 || order.trigger === undefined;
    const { eventBlock } = order;
    if (eventBlock !== undefined && (isTold || eventBlock <= (this.#blockNumber ?? -1)))
      return true;
    return order.ackedAtMs !== undefined && order.ackedAtMs < this.#queriedAtMs;
  }
}
