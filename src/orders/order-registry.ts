import { assert } from "../base/assert.ts";
import { addFixed, maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Fill, OrderStatus } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import { AskSchedule, type AskPatience } from "./ask-schedule.ts";
import { FillLedger } from "./fill-ledger.ts";
import { shownStatus, type OrderChange, type TrackerWarning } from "./order-change.ts";
import { mergeStatus, orderMoves, type OrderStage, type OrderWord } from "./order-machine.ts";
import { OwnQuantity } from "./own-quantity.ts";
import { missingOf, wasNeverPlaced, type TrackedOrder } from "./tracked-order.ts";

export interface RegistryBounds {
  /** Ended orders remembered, so that late and repeated words about them are understood. */
  readonly maxEnded: number;
  /** Trade ids remembered; those of live orders are never forgotten. */
  readonly maxTradeIds: number;
}

/** What one word says of an order's state. */
export interface Said {
  readonly status?: OrderStatus;
  /** Cumulative, base token. */
  readonly executed?: Fixed;
  readonly message?: string;
}

/**
 * Our orders, live and lately ended, with everything that is derived from them: indices, sums, booked trades, questions. The
 * one place where an order's phase, status and executed quantity change, so that all of it always agrees.
 */
export class OrderRegistry {
  readonly #live = new Set<TrackedOrder>();
  /** Lists of the live orders, all and by strategy, as they were asked for since the last change. */
  readonly #liveLists = new Map<string | undefined, readonly TrackedOrder[]>();
  readonly ended = new Set<TrackedOrder>();
  /** Orders with executed quantity that no known fill explains. */
  readonly missing = new Set<TrackedOrder>();
  readonly sums = new OwnQuantity();
  readonly asks: AskSchedule;
  readonly #byId = new Map<OrderId, TrackedOrder>();
  readonly #byIntent = new Map<number, TrackedOrder>();
  /** Original → replacement, until that one's size is read back. */
  readonly #heirs = new Map<TrackedOrder, TrackedOrder>();
  readonly #fills = new FillLedger();
  readonly #bounds: RegistryBounds;

  constructor(bounds: RegistryBounds, patience: AskPatience) {
    this.#bounds = bounds;
    this.asks = new AskSchedule(patience);
  }

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#byId.get(orderId);
  }

  byIntent(intent: number): TrackedOrder | undefined {
    return this.#byIntent.get(intent);
  }

  /** Everything that has not ended, oldest first; the same list until that changes, and never changed itself. */
  live(strategy?: string): readonly TrackedOrder[] {
    let list = this.#liveLists.get(strategy);
    if (list === undefined) {
      const all = [...this.#live];
      list = strategy === undefined ? all : all.filter((order) => order.strategy === strategy);
      this.#liveLists.set(strategy, list);
    }
    return list;
  }

  #setLive(order: TrackedOrder, isLive: boolean): void {
    if (isLive) this.#live.add(order);
    else this.#live.delete(order);
    this.#liveLists.clear();
  }

  /** Takes a new order; `tradeIds` are those that its `filled` already holds. */
  add(order: TrackedOrder, tradeIds: readonly string[] = []): void {
    assert(!this.#byIntent.has(order.intent), "an intent is used once");
    assert(order.phase !== "ended", "a new order has not ended");
    this.#byIntent.set(order.intent, order);
    this.#setLive(order, true);
    this.sums.update(order);
    const { orderId } = order;
    if (orderId === undefined) return;
    this.name(order, orderId);
    for (const tradeId of tradeIds) this.#fills.add(orderId, tradeId);
  }

  /** Takes the order that a modify makes of another. */
  addReplacement(order: TrackedOrder, original: TrackedOrder): void {
    order.replaced = original;
    this.#heirs.set(original, order);
    this.add(order);
  }

  /** How large the venue made a replacement, and at which price. */
  readBack(order: TrackedOrder, price: number, quantity: Fixed): void {
    if (order.replaced !== undefined) this.#heirs.delete(order.replaced);
    order.replaced = undefined;
    this.sums.remove(order);
    order.price = price;
    order.quantity = quantity;
    this.sums.update(order);
  }

  /** Its id is known now. */
  name(order: TrackedOrder, orderId: OrderId): void {
    assert(!this.#byId.has(orderId), "an order id is used once");
    order.orderId = orderId;
    this.#byId.set(orderId, order);
  }

  /** Moves the order by one word (order-machine.ts) and says what that changed. */
  learn(
    order: TrackedOrder,
    word: OrderWord,
    said: Said,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { phase, status, executed } = order;
    const missingBefore = missingOf(order);
    const stage: OrderStage = wasNeverPlaced(order) ? "never-placed" : phase;
    order.executed = maxFixed(executed, maxFixed(order.filled, said.executed ?? ZERO));
    const isFull = order.executed >= order.quantity;
    const isSeen = word === "accepted" || word === "open" || word === "over";
    const next = orderMoves[stage][isSeen && isFull ? "over" : word];
    if (isSeen) {
      const part = isFull ? "all" : order.executed > ZERO ? "some" : "nothing";
      order.status = mergeStatus(status, said.status ?? status ?? "NEW", part);
      order.ackedAtMs ??= nowMs;
    }
    this.#enter(order, next, nowMs);
    this.sums.update(order);
    const heir = this.#heirs.get(order);
    if (heir !== undefined) this.sums.update(heir);

    if (stage === "never-placed" && next !== stage) {
      warn(order, "ORDER_APPEARED", "it was held for never placed and is at the venue", changes);
    }
    if (order.phase !== phase || order.status !== status || order.executed !== executed) {
      const message = said.message ?? "";
      changes.push({ type: "order", order, status: shownStatus(order), word, message });
    }
    if (order.executed > order.quantity && order.executed !== executed) {
      warn(order, "OVERFILL", "more of it was executed than was ordered", changes);
    }
    const missing = missingOf(order);
    if (missing > missingBefore) changes.push({ type: "missingFills", order, quantity: missing });
    this.#noteMissing(order);
    this.#evict();
  }

  /** Books a fill, without moving the order; false when it is already booked or cannot be. */
  book(order: TrackedOrder, fill: Fill, changes: OrderChange[]): boolean {
    if (!this.#fills.add(fill.orderId, fill.tradeId)) return false;
    const filled = addFixed(order.filled, fill.quantity);
    if (filled > order.quantity) {
      // An order cannot be filled beyond its size: rather the same fill under another trade id.
      const text = `trade ${fill.tradeId} exceeds what was ordered and is not booked`;
      warn(order, "OVERFILL", text, changes);
      return false;
    }
    order.filled = filled;
    this.#noteMissing(order);
    changes.push({ type: "fill", order, fill });
    return true;
  }

  #enter(order: TrackedOrder, stage: OrderStage, nowMs: UnixMs): void {
    const phase = stage === "never-placed" ? "ended" : stage;
    if (phase === order.phase) return;
    order.phase = phase;
    if (phase === "ended") {
      order.endedAtMs = nowMs;
      this.#setLive(order, false);
      this.ended.add(order);
      if (order.replaced !== undefined) this.#heirs.delete(order.replaced);
      this.asks.clear(order);
    } else if (order.endedAtMs !== undefined) {
      order.endedAtMs = undefined;
      this.ended.delete(order);
      this.#setLive(order, true);
    }
  }

  #noteMissing(order: TrackedOrder): void {
    if (missingOf(order) > ZERO) this.missing.add(order);
    else this.missing.delete(order);
  }

  /** Forgets the oldest ended orders and their trades beyond the bounds. */
  #evict(): void {
    const { maxEnded, maxTradeIds } = this.#bounds;
    for (const order of this.ended) {
      if (this.ended.size <= maxEnded && this.#fills.size <= maxTradeIds) return;
      this.ended.delete(order);
      this.missing.delete(order);
      this.asks.clear(order);
      this.#byIntent.delete(order.intent);
      if (order.orderId === undefined) continue;
      this.#byId.delete(order.orderId);
      this.#fills.forget(order.orderId);
    }
  }
}

/** Adds a warning about an order. */
export function warn(
  order: TrackedOrder,
  code: TrackerWarning,
  message: string,
  changes: OrderChange[],
): void {
  const name = order.orderId ?? `intent ${order.intent}`;
  changes.push({ type: "warning", order, code, message: `order ${name}: ${message}` });
}
