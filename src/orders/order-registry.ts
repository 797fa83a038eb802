import { assert } from "../base/assert.ts";
import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { addFixed, maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Fill, OrderStatus } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import { QuerySchedule, type QueryTiming } from "./query-schedule.ts";
import { liveLegs, relativesInDoubt } from "./bracket.ts";
import { FillLedger } from "./fill-ledger.ts";
import { LiveOrders, type SlotOrders } from "./live-orders.ts";
import { shownStatus, warn, type OrderChange } from "./order-change.ts";
import {
  type CancelReportKind,
  mergeStatus,
  nextCancelPhase,
  nextStage,
  type OrderStage,
  type ReportKind,
} from "./order-machine.ts";
import type { OrderUpdate } from "./order-snapshot.ts";
import { OwnQuantity } from "./own-quantity.ts";
import { snapshotOf } from "./snapshot-of.ts";
import { isLeaving, missingOf, pairOf, wasGivenUp, type TrackedOrder } from "./tracked-order.ts";

interface RegistryBounds {
  /** Most ended orders remembered, so that late and repeated reports about them are recognised. */
  readonly maxEnded: number;
  /** Most trade ids remembered; those of live orders are never forgotten. */
  readonly maxTradeIds: number;
}

/** What one report says about an order. */
interface OrderEvidence {
  readonly kind: ReportKind;
  readonly status?: OrderStatus;
  /** Cumulative executed quantity, base token. */
  readonly executed?: Fixed;
  readonly message?: string;
}

/**
 * Our live and recently ended orders with everything derived from them: indices, sums, booked trades, queries. Once an order is
 * added, only this class changes its status and executed quantity, and its phase unless the order is restored, so that all of it stays consistent.
 */
export class OrderRegistry {
  readonly queries: QuerySchedule;
  readonly #live = new LiveOrders();
  readonly #ended = new Set<TrackedOrder>();
  readonly #oldestEnded = new OldestKeyCursor(this.#ended);
  /** Orders with executed quantity that no known fill explains. */
  readonly #missing = new Set<TrackedOrder>();
  readonly #sums = new OwnQuantity();
  readonly #byId = new Map<OrderId, TrackedOrder>();
  readonly #byIntent = new Map<number, TrackedOrder>();
  /** Orders whose end is settled since the last call of `takeSettled`: fills are all booked, and a list has followed a refusal. */
  readonly #settled = new Set<OrderId>();
  /** Orders that the venue refused since the last list of open orders. A refusal speaks for one copy of a request that may have several. */
  readonly #refused = new Set<TrackedOrder>();
  /** Orders that have changed since they were last published. */
  readonly #changed = new Set<TrackedOrder>();
  readonly #fills = new FillLedger();
  readonly #bounds: RegistryBounds;

  constructor(bounds: RegistryBounds, timing: QueryTiming) {
    this.#bounds = bounds;
    this.queries = new QuerySchedule(timing);
  }

  /** How many orders and items each index holds; all are bounded. */
  get sizes() {
    return {
      live: this.live().length,
      ended: this.#ended.size,
      missingFills: this.#missing.size,
      ids: this.#byId.size,
      intents: this.#byIntent.size,
      changed: this.#changed.size,
      tradeIds: this.#fills.size,
      queries: this.queries.size,
    };
  }

  /** Orders that have not ended, oldest first. */
  live(strategy?: string): readonly TrackedOrder[] {
    return this.#live.list(strategy);
  }

  /** Live orders of a strategy in a market. */
  of(strategy: string, marketId: MarketId): SlotOrders {
    return this.#live.of(strategy, marketId);
  }

  /** Live orders that the venue had acknowledged and that its newest list of open orders, or a query by id, does not show. */
  missing(): readonly TrackedOrder[] {
    return this.live().filter(({ unlisted, isAbsent }) => unlisted > 0 || isAbsent);
  }

  /** Orders with executed quantity that no known fill explains, including ended ones. */
  missingFills(): readonly TrackedOrder[] {
    return this.#missing.size === 0 ? noOrders : [...this.#missing];
  }

  /** Our acknowledged remaining quantity by price, base token. Always the same Map, changed in place. */
  ownQuantityByPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#sums.byPrice(marketId, side);
  }

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#byId.get(orderId);
  }

  /** Whether a trade of one of our orders is booked. */
  isBooked({ orderId, tradeId }: Pick<Fill, "orderId" | "tradeId">): boolean {
    return this.#fills.has(orderId, tradeId);
  }

  /** Whether a trade of one of our orders was booked in this run with another price or quantity. */
  isBookedOtherwise({ orderId, tradeId, price, quantity }: Fill): boolean {
    const booked = this.#fills.booked(orderId, tradeId);
    return booked !== undefined && (booked.price !== price || booked.quantity !== quantity);
  }

  /** Number of booked trades of one of our orders. */
  bookedTrades(orderId: OrderId): number {
    return this.#fills.countOf(orderId);
  }

  byIntent(intent: number): TrackedOrder | undefined {
    return this.#byIntent.get(intent);
  }

  /** The live order whose newest cancel or modify has this intent. */
  canceledBy(intent: number): TrackedOrder | undefined {
    return this.live().find(({ cancelIntent }) => cancelIntent === intent);
  }

  /** Adds a new order; `tradeIds` are the trades that its `filled` already includes. */
  add(order: TrackedOrder, tradeIds: readonly string[] = []): void {
    assert(order.phase !== "ended", "a new order has not ended");
    const { size } = this.#byIntent;
    this.#byIntent.set(order.intent, order);
    assert(this.#byIntent.size > size, "an intent is used once");
    this.#live.enter(order);
    this.#sums.update(order);
    this.#touch(order);
    const { orderId } = order;
    if (orderId === undefined) return;
    this.name(order, orderId);
    for (const tradeId of tradeIds) this.#fills.add(orderId, tradeId);
  }

  /** Sets the price and size that the venue gave a replacement. */
  readBack(order: TrackedOrder, price: number, quantity: Fixed): void {
    order.replaced = undefined;
    this.#sums.remove(order);
    order.price = price;
    order.quantity = quantity;
    this.#sums.update(order);
    this.#touch(order);
  }

  /** The order serves a quote of another level. */
  rekey(order: TrackedOrder, key: string): void {
    if (order.key === key) return;
    order.key = key;
    this.#touch(order);
  }

  /** Sets the size that the venue gave a leg, which is known once the leg is placed (D25). */
  resize(order: TrackedOrder, quantity: Fixed): void {
    if (order.quantity === quantity) return;
    order.quantity = quantity;
    this.recount(order);
  }

  /** A stop order or stop-loss leg has fired: from now on it trades like any other order. */
  fired(order: TrackedOrder, changes: OrderChange[]): void {
    const { trigger } = order;
    if (trigger === undefined || trigger.isFired) return;
    trigger.isFired = true;
    this.recount(order);
    changes.push({ type: "triggered", order });
  }

  /** Updates the sums after the order changed or was linked to others. */
  recount(order: TrackedOrder): void {
    this.#update(order);
    this.#touch(order);
  }

  /** Updates the sums of an order and of those that depend on it. */
  #update(order: TrackedOrder): void {
    this.#sums.update(order);
    const { bracket } = order;
    if (bracket === undefined) return;
    for (const other of liveLegs(bracket)) if (other !== order) this.#sums.update(other);
  }

  /** Sets the order's id once it is known. */
  name(order: TrackedOrder, orderId: OrderId): void {
    const { size } = this.#byId;
    this.#byId.set(orderId, order);
    assert(this.#byId.size > size, "an order id is used once");
    order.orderId = orderId;
    this.#touch(order);
  }

  /** Moves the newest cancel of an order by one report (order-machine.ts). */
  moveCancel(order: TrackedOrder, report: CancelReportKind, changes: OrderChange[]): void {
    const wasLeaving = isLeaving(order);
    order.cancel = nextCancelPhase(order.cancel, report);
    if (order.phase === "ended" || isLeaving(order) === wasLeaving) return;
    if (wasLeaving) {
      order.reason = "";
      changes.push({ type: "cancelFailed", order });
    }
    this.#touch(order);
  }

  /** A full snapshot of every order that has changed since the last call. */
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

  /** Orders whose end is settled, since the last call. */
  takeSettled(): readonly OrderId[] {
    if (this.#settled.size === 0) return noIds;
    const settled = [...this.#settled];
    this.#settled.clear();
    return settled;
  }

  /** Marks an order as changed, so that its snapshot is taken and published again. */
  #touch(order: TrackedOrder): void {
    order.snapshot = undefined;
    this.#changed.add(order);
  }

  /** Moves the order by one report (order-machine.ts) and adds the resulting changes. */
  learn(order: TrackedOrder, evidence: OrderEvidence, nowMs: UnixMs, changes: OrderChange[]): void {
    const { kind: report, message = "" } = evidence;
    const { phase, status, executed } = order;
    const missingBefore = missingOf(order);
    const stage = stageOf(order);
    order.executed = maxFixed(executed, maxFixed(order.filled, evidence.executed ?? ZERO));
    const isFull = order.executed >= order.quantity;
    const isSeen = report === "accepted" || report === "open" || report === "over";
    const next = nextStage(stage, isSeen && isFull ? "over" : report);
    if (isSeen) {
      const part = isFull ? "all" : order.executed > ZERO ? "some" : "nothing";
      const fallback = phase === "pending" && next === "pending" ? "PENDING_NEW" : "NEW";
      order.status = mergeStatus(status, evidence.status ?? status ?? fallback, part);
      order.ackedAtMs ??= nowMs;
      order.unlisted = 0;
      order.isAbsent = false;
    }
    this.#enter(order, next, nowMs, changes);
    this.#update(order);
    if (next !== stage) {
      order.isRefused = next === "never-placed" && report === "refused";
      if (order.isRefused) this.#refused.add(order);
      else this.#refused.delete(order);
    }
    if (order.phase !== phase) order.reason = reasonOf(order, message);

    if (phase !== order.phase) this.#followRelatives(order, nowMs);
    // A stop order cannot execute before it fires.
    if (order.executed > ZERO) this.fired(order, changes);

    if ((stage === "never-placed" || stage === "lost") && next !== stage) {
      const held = stage === "lost" ? "lost" : "never placed";
      warn(order, "ORDER_APPEARED", `it was taken for ${held} but is at the venue`, changes);
    }
    if (order.phase !== phase || order.status !== status || order.executed !== executed) {
      this.#touch(order);
      const pair = pairOf(order);
      // A fill of one leg reduces what the other may still fill.
      if (pair !== undefined && pair.phase !== "ended") this.#touch(pair);
      changes.push({ type: "order", order, status: shownStatus(order), report, message });
    }
    if (order.executed > order.quantity && order.executed !== executed) {
      warn(order, "OVERFILL", "more was executed than ordered", changes);
    }
    if (missingOf(order) > missingBefore) changes.push({ type: "missingFills", order });
    this.#noteMissing(order);
    if (phase !== order.phase) this.#endNeverPlaced(order, nowMs, changes);
    this.#evict();
  }

  /** The venue shows an order open that it had ended: it counts again. False for an order that is executed in full. */
  reopen(
    order: TrackedOrder,
    { status, executed }: Required<Pick<OrderEvidence, "status" | "executed">>,
    changes: OrderChange[],
  ): boolean {
    assert(order.phase === "ended", "only an ended order comes back");
    if (executed >= order.quantity || order.endedAtMs === undefined) return false;
    order.executed = executed;
    order.phase = order.leg !== undefined && status === "PENDING_NEW" ? "pending" : "working";
    this.#noteMissing(order);
    order.status = status;
    this.#liveAgain(order, changes);
    this.moveCancel(order, "stillOpen", changes);
    this.recount(order);
    const message = "the venue had ended it and shows it as open";
    changes.push({ type: "order", order, status: shownStatus(order), report: "open", message });
    return true;
  }

  #liveAgain(order: TrackedOrder, changes: OrderChange[]): void {
    const { orderId } = order;
    order.endedAtMs = undefined;
    this.#ended.delete(order);
    this.#live.enter(order);
    const tradeIds = orderId === undefined ? [] : this.#fills.of(orderId);
    changes.push({ type: "reopened", order, tradeIds });
  }

  /** Ends the legs of an order that was never placed (§4.4: one transaction; D25). If one shows up later, it counts again. */
  #endNeverPlaced(order: TrackedOrder, nowMs: UnixMs, changes: OrderChange[]): void {
    const { bracket, leg, phase, status } = order;
    if (bracket === undefined || leg !== undefined || phase !== "ended") return;
    if (status !== undefined && status !== "REJECTED") return;
    const message = "its order was not placed";
    for (const one of liveLegs(bracket)) {
      if (one.ackedAtMs !== undefined) continue;
      this.learn(one, { kind: "absent", message }, nowMs, changes);
      if (!this.#refused.has(order)) continue;
      this.#refused.add(one);
      this.#noteMissing(one);
    }
  }

  /** Books a fill without moving the order. Returns false when it is already booked or exceeds the order's quantity. */
  book(order: TrackedOrder, fill: Fill, changes: OrderChange[]): boolean {
    if (!this.#fills.add(fill.orderId, fill.tradeId, fill)) return false;
    const filled = addFixed(order.filled, fill.quantity);
    if (filled > order.quantity) {
      // No order fills beyond its size: this is probably a known fill under another trade id.
      const text = `trade ${fill.tradeId} exceeds the ordered quantity and is not booked`;
      warn(order, "OVERFILL", text, changes);
      return false;
    }
    order.filled = filled;
    this.#noteMissing(order);
    changes.push({ type: "fill", order, fill });
    return true;
  }

  #enter(order: TrackedOrder, stage: OrderStage, nowMs: UnixMs, changes: OrderChange[]): void {
    const phase = stage === "never-placed" || stage === "lost" ? "ended" : stage;
    order.isLost = stage === "lost";
    if (phase === order.phase) return;
    order.phase = phase;
    if (phase === "ended") {
      order.endedAtMs = nowMs;
      this.#live.leave(order);
      this.#ended.add(order);
      this.queries.clear(order);
    } else if (order.endedAtMs !== undefined) this.#liveAgain(order, changes);
  }

  /** Schedules queries for the orders in doubt, in case the venue's events of the same block do not arrive. */
  #followRelatives(order: TrackedOrder, nowMs: UnixMs): void {
    if (order.leg !== undefined && order.phase === "working" && order.cancel === "none") {
      this.queries.clear(order);
    }
    for (const one of relativesInDoubt(order)) this.queries.wantSoon(one, nowMs);
  }

  #noteMissing(order: TrackedOrder): void {
    if (missingOf(order) > ZERO) this.#missing.add(order);
    else this.#missing.delete(order);
    const { orderId, phase } = order;
    if (orderId === undefined) return;
    const isOver = phase === "ended" && !this.#missing.has(order) && !this.#refused.has(order);
    if (isOver) this.#settled.add(orderId);
    else this.#settled.delete(orderId);
  }

  /** A list of open orders, requested at `queriedAtMs`, shows none of the orders that were refused before. */
  listed(queriedAtMs: number): void {
    for (const order of this.#refused) {
      if (order.endedAtMs === undefined || order.endedAtMs > queriedAtMs) continue;
      this.#refused.delete(order);
      this.#noteMissing(order);
    }
  }

  /** Forgets the oldest ended orders and their trades beyond the bounds. */
  #evict(): void {
    const { maxEnded, maxTradeIds } = this.#bounds;
    while (this.#ended.size > maxEnded || this.#fills.size > maxTradeIds) {
      const order = this.#oldestEnded.next();
      if (order === undefined) return;
      this.#ended.delete(order);
      this.#missing.delete(order);
      this.queries.clear(order);
      this.#byIntent.delete(order.intent);
      if (order.orderId === undefined) continue;
      if (this.#refused.delete(order)) this.#settled.add(order.orderId);
      this.#byId.delete(order.orderId);
      this.#fills.forget(order.orderId);
    }
  }
}

const none: readonly OrderUpdate[] = [];
const noOrders: readonly TrackedOrder[] = [];
const noIds: readonly OrderId[] = [];

/** Why an order has just ended: the report's message, or else the reason of our cancel. Empty when it has not ended. */
function reasonOf({ phase, status, reason }: TrackedOrder, message: string): string {
  if (phase !== "ended") return "";
  return message === "" && status === "CANCELED" ? reason : message;
}

function stageOf(order: TrackedOrder): OrderStage {
  // Of a suspect order whose request is open, the answer says what happened.
  if (order.phase === "unknown" && order.requestEndedAtMs === undefined) return "in-flight";
  if (!wasGivenUp(order)) return order.phase;
  return order.isLost ? "lost" : "never-placed";
}
