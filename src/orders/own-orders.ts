import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { OlderOrders } from "./older-orders.ts";
import type { OrderSnapshot, OrderUpdate } from "./order-snapshot.ts";

/** Ended orders remembered whole, so that late fills are still recognised as ours. */
const ENDED = 10_000;

/**
 * Our own orders as the kernel publishes them. The page, the summary, the replay's statistics and the end of a run read this table.
 * After a missed update an order is correct again with its next one.
 */
export class OwnOrders {
  readonly #endedMax: number;
  readonly #live = new Map<number, OrderSnapshot>();
  readonly #ended = new Map<number, OrderSnapshot>();
  readonly #oldestEnded = new OldestKeyCursor(this.#ended);
  /** Strategies of orders that ended before those, by id. */
  readonly #older: OlderOrders;
  /** Intents of live and ended orders by id. */
  readonly #intents = new Map<OrderId, number>();
  /** Ids of orders that have one since they were published. */
  readonly #named = new Map<number, OrderId>();
  #oldestMs = Number.POSITIVE_INFINITY;

  /**
   * `ended`: how many ended orders are remembered whole, by default 10,000; 0 for a reader of live orders alone. `older`: how many that
   * ended before those are remembered by id, ten bytes each, by default 0.
   */
  constructor({
    ended = ENDED,
    older = 0,
  }: { readonly ended?: number; readonly older?: number } = {}) {
    this.#endedMax = ended;
    this.#older = new OlderOrders(older);
  }

  /** Applies a published order. */
  apply({ order }: Pick<OrderUpdate, "order">): void {
    const { intent, orderId } = order;
    // A time nonce is about when the order was placed; 0 is none.
    const noncedMs = order.nonce > 0 ? order.nonce : Number.POSITIVE_INFINITY;
    this.#oldestMs = Math.min(this.#oldestMs, order.madeAtMs, noncedMs);
    const known = this.#live.get(intent);
    if (this.#named.size > 0) this.#named.delete(intent);
    if (order.state === "ended") {
      this.#live.delete(intent);
      if (this.#endedMax === 0) {
        if (orderId !== undefined) this.#intents.delete(orderId);
        return;
      }
      this.#ended.delete(intent);
      this.#ended.set(intent, order);
      this.#forgetOldest();
    } else {
      if (known === undefined) this.#ended.delete(intent);
      this.#live.set(intent, order);
    }
    if (orderId !== undefined && known?.orderId !== orderId) this.#intents.set(orderId, intent);
  }

  /** A placement was signed, so its id and those of its legs are known one step before the kernel publishes them. */
  signed(intent: number, txHash: OrderId): void {
    this.#name(intent, txHash);
    if (this.#live.get(intent)?.tpsl === undefined) return;
    const { takeProfit, stopLoss } = legIdsOf(txHash);
    this.#name(intent + 1, takeProfit);
    this.#name(intent + 2, stopLoss);
  }

  /** Orders that have not ended, oldest first. */
  *live(strategy?: string): Generator<OrderSnapshot> {
    for (const order of this.#live.values()) {
      if (strategy === undefined || order.strategy === strategy) yield this.#withId(order);
    }
  }

  /** A live order, or one of the newest that have ended; undefined for any other order of the account. */
  byId(orderId: OrderId): OrderSnapshot | undefined {
    const intent = this.#intents.get(orderId);
    if (intent === undefined) return undefined;
    const live = this.#live.get(intent);
    return live === undefined ? this.#ended.get(intent) : this.#withId(live);
  }

  /** The strategy of an order that `byId` gives, or of one of the `older` before those; undefined for any other order. */
  strategyOf(orderId: OrderId): string | undefined {
    return this.byId(orderId)?.strategy ?? this.#older.strategyOf(orderId);
  }

  /** Number of orders that were sent but neither acknowledged nor ended. */
  inDoubt(strategy: string, isMeant: (marketId: MarketId) => boolean): number {
    let count = 0;
    for (const { phase, marketId } of this.live(strategy)) {
      if ((phase === "in-flight" || phase === "unknown") && isMeant(marketId)) count += 1;
    }
    return count;
  }

  /** Approximate time when the oldest published order was placed; Infinity without any. */
  get oldestMs(): number {
    return this.#oldestMs;
  }

  #name(intent: number, orderId: OrderId): void {
    const order = this.#live.get(intent);
    if (order === undefined || order.orderId !== undefined) return;
    this.#named.set(intent, orderId);
    this.#intents.set(orderId, intent);
  }

  #withId(order: OrderSnapshot): OrderSnapshot {
    if (this.#named.size === 0 || order.orderId !== undefined) return order;
    const orderId = this.#named.get(order.intent);
    return orderId === undefined ? order : { ...order, orderId };
  }

  #forgetOldest(): void {
    if (this.#ended.size <= this.#endedMax) return;
    const intent = this.#oldestEnded.next();
    if (intent === undefined) return;
    const order = this.#ended.get(intent);
    this.#ended.delete(intent);
    if (order?.orderId === undefined) return;
    this.#intents.delete(order.orderId);
    this.#older.add(order.orderId, order.strategy);
  }
}
