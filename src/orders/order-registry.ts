import { assert } from "../base/assert.ts";
import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { addFixed, maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Fill, OrderStatus } from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";
import { QuerySchedule, type QueryTiming } from "./query-schedule.ts";
import { liveLegs, relativesInDoubt } from "./bracket.ts";
import { FillLedger } from "./fill-ledger.ts";
import { LiveOrders } from "./live-orders.ts";
import { shownStatus, warn, type OrderChange } from "./order-change.ts";
import {
  cancelMoves,
  type CancelReportKind,
  mergeStatus,
  orderMoves,
  type OrderStage,
  type ReportKind,
} from "./order-machine.ts";
import type { OrderUpdate } from "./order-snapshot.ts";
import { OwnQuantity } from "./own-quantity.ts";
import { snapshotOf } from "./snapshot-of.ts";
import { isLeaving, missingOf, pairOf, wasGivenUp, type TrackedOrder } from "./tracked-order.ts";

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
  readonly live = new LiveOrders();
  readonly ended = new Set<TrackedOrder>();
  readonly #oldestEnded = new OldestKeyCursor(this.ended);
  /** Orders with executed quantity that no known fill explains. */
  readonly missing = new Set<TrackedOrder>();
  readonly sums = new OwnQuantity();
  readonly queries: QuerySchedule;
  readonly #byId = new Map<OrderId, TrackedOrder>();
  readonly #byIntent = new Map<number, TrackedOrder>();
  /** Orders that have changed since they were published last. */
  readonly #changed = new Set<TrackedOrder>();
  readonly #fills = new FillLedger();
  readonly #bounds: RegistryBounds;

  constructor(bounds: RegistryBounds, patience: QueryTiming) {
    this.#bounds = bounds;
    this.queries = new QuerySchedule(patience);
  }

  /** How much of each it remembers; bounded, whatever happens. */
  get sizes(): Readonly<Record<"ids" | "intents" | "changed" | "tradeIds" | "queries", number>> {
    return {
      ids: this.#byId.size,
      intents: this.#byIntent.size,
      changed: this.#changed.size,
      tradeIds: this.#fills.size,
      queries: this.queries.size,
    };
  }

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#byId.get(orderId);
  }

  byIntent(intent: number): TrackedOrder | undefined {
    return this.#byIntent.get(intent);
  }

  /** Takes a new order; `tradeIds` are those that its `filled` already holds. */
  add(order: TrackedOrder, tradeIds: readonly string[] = []): void {
    assert(!this.#byIntent.has(order.intent), "an intent is used once");
    assert(order.phase !== "ended", "a new order has not ended");
    this.#byIntent.set(order.intent, order);
    this.live.enter(order);
    this.sums.update(order);
    this.#touch(order);
    const { orderId } = order;
    if (orderId === undefined) return;
    this.name(order, orderId);
    for (const tradeId of tradeIds) this.#fills.add(orderId, tradeId);
  }

  /** How large the venue made a replacement, and at which price. */
  readBack(order: TrackedOrder, price: number, quantity: Fixed): void {
    order.replaced = undefined;
    this.sums.remove(order);
    order.price = price;
    order.quantity = quantity;
    this.sums.update(order);
    this.#touch(order);
  }

  /** Of a leg: how much the venue has it for; known when it is placed (D25). */
  resize(order: TrackedOrder, quantity: Fixed): void {
    if (order.quantity === quantity) return;
    order.quantity = quantity;
    this.#update(order);
    this.#touch(order);
  }

  /** A stop order or stop-loss leg has fired: from now on it trades as any order. */
  fired(order: TrackedOrder, changes: OrderChange[]): void {
    const { trigger } = order;
    if (trigger === undefined || trigger.isFired) return;
    trigger.isFired = true;
    this.#update(order);
    this.#touch(order);
    changes.push({ type: "triggered", order });
  }

  /** It is tied to others now, which changes what it counts. */
  recount(order: TrackedOrder): void {
    this.#update(order);
    this.#touch(order);
  }

  /** Counts an order anew, and those whose count depends on it. */
  #update(order: TrackedOrder): void {
    this.sums.update(order);
    const { bracket } = order;
    if (bracket === undefined) return;
    for (const other of liveLegs(bracket)) if (other !== order) this.sums.update(other);
  }

  /** Its id is known now. */
  name(order: TrackedOrder, orderId: OrderId): void {
    assert(!this.#byId.has(orderId), "an order id is used once");
    order.orderId = orderId;
    this.#byId.set(orderId, order);
    this.#touch(order);
  }

  /** Moves the newest cancel of an order by one report (order-machine.ts). */
  moveCancel(order: TrackedOrder, report: CancelReportKind): void {
    const wasLeaving = isLeaving(order);
    order.cancel = cancelMoves[order.cancel][report];
    if (order.phase === "ended" || isLeaving(order) === wasLeaving) return;
    if (wasLeaving) order.reason = "";
    this.#touch(order);
  }

  /** Every order that has changed since the last call, whole. */
  takeUpdates(): readonly OrderUpdate[] {
    if (this.#changed.size === 0) return none;
    const updates: OrderUpdate[] = [];
    for (const tracked of this.#changed) {
      const order = snapshotOf(tracked);
      updates.push({ order, before: tracked.published });
      tracked.published = order;
    }
    this.#changed.clear();
    return updates;
  }

  /** Something that a snapshot of the order shows has changed. */
  #touch(order: TrackedOrder): void {
    order.snapshot = undefined;
    this.#changed.add(order);
  }

  /** Moves the order by one word (order-machine.ts) and says what that changed. */
  learn(
    order: TrackedOrder,
    report: ReportKind,
    said: Said,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { phase, status, executed } = order;
    const missingBefore = missingOf(order);
    const stage = stageOf(order);
    order.executed = maxFixed(executed, maxFixed(order.filled, said.executed ?? ZERO));
    const isFull = order.executed >= order.quantity;
    const isSeen = report === "accepted" || report === "open" || report === "over";
    const next = orderMoves[stage][isSeen && isFull ? "over" : report];
    if (isSeen) {
      const part = isFull ? "all" : order.executed > ZERO ? "some" : "nothing";
      const fallback = phase === "pending" && next === "pending" ? "PENDING_NEW" : "NEW";
      order.status = mergeStatus(status, said.status ?? status ?? fallback, part);
      order.ackedAtMs ??= nowMs;
      order.disappearance = undefined;
      order.cancelFoundNone = false;
    }
    this.#enter(order, next, nowMs);
    this.#update(order);
    if (next !== stage) order.isRefused = next === "never-placed" && report === "refused";
    if (order.phase !== phase) order.reason = reasonOf(order, said.message ?? "");

    if (phase !== order.phase) this.#followRelatives(order, nowMs);
    // Nothing of a stop order can be executed before it fires.
    if (order.executed > ZERO) this.fired(order, changes);

    if ((stage === "never-placed" || stage === "lost") && next !== stage) {
      const held = stage === "lost" ? "lost" : "never placed";
      warn(order, "ORDER_APPEARED", `it was held for ${held} and is at the venue`, changes);
    }
    if (order.phase !== phase || order.status !== status || order.executed !== executed) {
      const message = said.message ?? "";
      this.#touch(order);
      const pair = pairOf(order);
      // What one leg fills the other loses.
      if (pair !== undefined && pair.phase !== "ended") this.#touch(pair);
      changes.push({ type: "order", order, status: shownStatus(order), report, message });
    }
    if (order.executed > order.quantity && order.executed !== executed) {
      warn(order, "OVERFILL", "more of it was executed than was ordered", changes);
    }
    const missing = missingOf(order);
    if (missing > missingBefore) changes.push({ type: "missingFills", order, quantity: missing });
    this.#noteMissing(order);
    if (phase !== order.phase) this.#endNeverPlaced(order, nowMs, changes);
    this.#evict();
  }

  /** Where an order never was, its legs never were (§4.4: one transaction; D25). Should one show itself, it counts again. */
  #endNeverPlaced(order: TrackedOrder, nowMs: UnixMs, changes: OrderChange[]): void {
    const { bracket, leg, phase, status } = order;
    if (bracket === undefined || leg !== undefined || phase !== "ended") return;
    if (status !== undefined && status !== "REJECTED") return;
    const message = "its order was not placed";
    for (const one of liveLegs(bracket)) {
      if (one.ackedAtMs === undefined) this.learn(one, "absent", { message }, nowMs, changes);
    }
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
    const phase = stage === "never-placed" || stage === "lost" ? "ended" : stage;
    order.isLost = stage === "lost";
    if (phase === order.phase) return;
    order.phase = phase;
    if (phase === "ended") {
      order.endedAtMs = nowMs;
      this.live.leave(order);
      this.ended.add(order);
      this.queries.clear(order);
    } else if (order.endedAtMs !== undefined) {
      order.endedAtMs = undefined;
      this.ended.delete(order);
      this.live.enter(order);
    }
  }

  /** The venue tells the state of the relatives by events of the same block; failing that, a question does. */
  #followRelatives(order: TrackedOrder, nowMs: UnixMs): void {
    if (order.leg !== undefined && order.phase === "working" && order.cancel === "none") {
      this.queries.clear(order);
    }
    for (const one of relativesInDoubt(order))
      this.queries.want(one, nowMs + this.queries.waitMs(1));
  }

  #noteMissing(order: TrackedOrder): void {
    if (missingOf(order) > ZERO) this.missing.add(order);
    else this.missing.delete(order);
  }

  /** Forgets the oldest ended orders and their trades beyond the bounds. */
  #evict(): void {
    const { maxEnded, maxTradeIds } = this.#bounds;
    while (this.ended.size > maxEnded || this.#fills.size > maxTradeIds) {
      const order = this.#oldestEnded.next();
      if (order === undefined) return;
      this.ended.delete(order);
      this.missing.delete(order);
      this.queries.clear(order);
      this.#byIntent.delete(order.intent);
      if (order.orderId === undefined) continue;
      this.#byId.delete(order.orderId);
      this.#fills.forget(order.orderId);
    }
  }
}

const none: readonly OrderUpdate[] = [];

/** Why an order ended that has just ended, `message` being what was said of it; why it was canceled when nothing was. */
function reasonOf({ phase, status, reason }: TrackedOrder, message: string): string {
  if (phase !== "ended") return "";
  return message === "" && status === "CANCELED" ? reason : message;
}

function stageOf(order: TrackedOrder): OrderStage {
  if (!wasGivenUp(order)) return order.phase;
  return order.isLost ? "lost" : "never-placed";
}
