import { assert } from "../base/assert.ts";
import type { CancelCommand, CommandOutcome, PlaceCommand } from "../domain/command.ts";
import { fixed, maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import {
  isTerminal,
  type Fill,
  type OrderEvent,
  type OrderReport,
  type OrderStatus,
} from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { AskSchedule, type AskPatience } from "./ask-schedule.ts";
import { FillLedger } from "./fill-ledger.ts";
import { shownStatus, type OrderChange, type TrackerWarning } from "./order-change.ts";
import {
  cancelMoves,
  mergeStatus,
  orderMoves,
  type CancelWord,
  type OrderStage,
  type OrderWord,
} from "./order-machine.ts";
import { OwnQuantity } from "./own-quantity.ts";
import type { RestoredOrder } from "./restored-order.ts";
import { missingOf, wasNeverPlaced, type TrackedOrder } from "./tracked-order.ts";

export interface OrderTrackerOptions extends AskPatience {
  /** Ended orders remembered, so that late and repeated words about them are understood. */
  readonly maxEnded: number;
  /** Trade ids remembered; default four for each ended order. Those of live orders are never forgotten. */
  readonly maxTradeIds?: number;
  /** A request that ended without an answer can land no later than this. Default 10 s. */
  readonly inFlightMs?: number;
}

export interface OrderCounts {
  readonly inFlight: number;
  readonly unknown: number;
  readonly working: number;
  /** Ended ones still remembered. */
  readonly ended: number;
  /** Open orders of the account that are not ours, in the newest list. */
  readonly foreign: number;
  readonly missingFills: number;
}

/** What one word of the venue says of an order's state. */
interface Said {
  readonly status?: OrderStatus;
  readonly executed?: Fixed;
  readonly message?: string;
}

const DEFAULT_IN_FLIGHT_MS = 10_000;
const FIRST_TIME_NONCE = 1_000_000_000_000;

/**
 * Every order of ours from the wish to its end, keyed by the id that is known before it is sent (§1.7). It takes what is
 * learned in any order, repeated, late or never (D31), and keeps what is certain: `executed` never falls, what the venue
 * ended never reopens, a fill is yielded once, silence is never an answer. Foreign orders are counted and never touched.
 */
export class OrderTracker {
  readonly #options: Required<OrderTrackerOptions>;
  readonly #byId = new Map<OrderId, TrackedOrder>();
  readonly #byIntent = new Map<number, TrackedOrder>();
  /** Cancels whose request is open, by intent. */
  readonly #cancels = new Map<number, TrackedOrder>();
  readonly #live = new Set<TrackedOrder>();
  readonly #ended = new Set<TrackedOrder>();
  readonly #missing = new Set<TrackedOrder>();
  readonly #fills = new FillLedger();
  readonly #sums = new OwnQuantity();
  readonly #asks: AskSchedule;
  #foreign = 0;
  #restored = 0;

  constructor(options: OrderTrackerOptions) {
    this.#options = {
      maxTradeIds: 4 * options.maxEnded,
      inFlightMs: DEFAULT_IN_FLIGHT_MS,
      ...options,
    };
    this.#asks = new AskSchedule(options);
  }

  // ── our own commands ──────────────────────────────────────────────

  /** A placement was decided: exposure from now on. Quantities in base token only (§2.1 mode 0). */
  place(command: PlaceCommand, nowMs: UnixMs): TrackedOrder {
    assert(command.orderMode === 0, "tracked orders have their quantity in base token");
    assert(!this.#byIntent.has(command.intent), "an intent is used once");
    const order = blankOrder({ ...command, madeAtMs: nowMs });
    this.#byIntent.set(order.intent, order);
    this.#live.add(order);
    this.#sums.update(order);
    return order;
  }

  /** The bytes of an intent are signed; a placement's hash is its order id. */
  signed(intent: number, txHash: OrderId): void {
    const order = this.#byIntent.get(intent);
    if (order === undefined) return;
    assert(this.#byId.get(txHash) === undefined, "an order id is used once");
    order.orderId = txHash;
    this.#byId.set(txHash, order);
  }

  /** A cancel of one of our orders was decided. */
  cancelMade(command: CancelCommand): void {
    const order = this.#byId.get(command.orderId);
    if (order === undefined) return;
    order.cancel = cancelMoves[order.cancel].made;
    order.cancelIntent = command.intent;
    order.cancelEndedAtMs = undefined;
    this.#cancels.set(command.intent, order);
  }

  /** A command's request ended (D11). */
  answered(intent: number, outcome: CommandOutcome, nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    const placed = this.#byIntent.get(intent);
    if (placed !== undefined) this.#placeAnswered(placed, outcome, nowMs, changes);
    const canceled = this.#cancels.get(intent);
    if (canceled !== undefined) {
      this.#cancels.delete(intent);
      // Only the newest cancel's fate counts.
      if (intent === canceled.cancelIntent) this.#cancelAnswered(canceled, outcome, nowMs, changes);
    }
    return changes;
  }

  #placeAnswered(
    order: TrackedOrder,
    outcome: CommandOutcome,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    order.requestEndedAtMs = nowMs;
    const word = orderWordOf(outcome);
    const message = outcome.type === "accepted" ? "" : outcome.message;
    const wasWorking = order.phase === "working";
    this.#learn(order, word, { message }, nowMs, changes);
    if (order.phase === "ended") return;
    if (word === "accepted") {
      // A cancel that came too early for the venue may be made again.
      if (order.cancel === "refused") this.#moveCancel(order, "stillOpen");
      return;
    }
    if (wasWorking && word !== "noAnswer") {
      const text = `a placement that was answered "${message}" had been acknowledged before`;
      this.#warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    this.#asks.want(order, nowMs + this.#options.askFirstMs);
  }

  #cancelAnswered(
    order: TrackedOrder,
    outcome: CommandOutcome,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const word = cancelWordOf(outcome);
    order.cancelEndedAtMs = nowMs;
    this.#moveCancel(order, word);
    if (order.phase === "ended") return;
    if (word === "accepted") {
      // The venue had it. Its end is told by event or, failing that, by a question.
      order.cancelFailures = 0;
      this.#learn(order, "accepted", {}, nowMs, changes);
      this.#asks.want(order, nowMs + this.#options.askFirstMs);
    } else if (word === "refused") {
      order.cancelFailures += 1;
      // While its own request is open the order may just not be there yet: nothing changes.
      if (order.requestEndedAtMs === undefined) return;
      const failures = order.cancelFailures;
      const pauseMs = failures > 1 ? this.#asks.waitMs(failures - 1) : 0;
      this.#asks.want(order, nowMs + pauseMs);
    } else if (word === "noAnswer") {
      order.cancelFailures += 1;
      this.#asks.want(order, nowMs + this.#asks.waitMs(order.cancelFailures));
    }
  }

  // ── the venue's words ─────────────────────────────────────────────

  /** An ORDER event of the user stream (§6.4): before, after or without the answer, repeated, out of order. */
  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    const order = this.#byId.get(event.order.orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    if (event.fill !== undefined) this.#book(order, event.fill, changes);
    this.#observe(order, event.order, nowMs, changes);
    return changes;
  }

  /** Own fills from REST (§2.6). Those of other orders are left alone. */
  fills(fills: readonly Fill[], nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    for (const fill of fills) {
      const order = this.#byId.get(fill.orderId);
      if (order === undefined || !this.#book(order, fill, changes)) continue;
      const wasOver = wasNeverPlaced(order);
      this.#learn(order, "accepted", {}, nowMs, changes);
      if (wasOver && order.phase !== "ended") this.#asks.want(order, nowMs);
    }
    return changes;
  }

  /** The answer to a question by id, which was asked at `askedAtMs`. */
  report(
    orderId: OrderId,
    report: OrderReport | "absent",
    askedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    const order = this.#byId.get(orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    if (report === "absent") this.#reportedAbsent(order, askedAtMs, nowMs, changes);
    else this.#reported(order, report, askedAtMs, nowMs, changes);
    return changes;
  }

  #reportedAbsent(
    order: TrackedOrder,
    askedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    if (order.phase === "ended") return this.#asks.clear(order);
    if (order.requestEndedAtMs === undefined) {
      // Its request is open: ask again when that is over.
      return this.#asks.clear(order);
    }
    if (order.ackedAtMs !== undefined) {
      const text = "the venue had acknowledged this order and now knows none of its id";
      this.#warn(order, "ORDER_VANISHED", text, changes);
      return this.#asks.again(order, nowMs);
    }
    const landedByMs = order.requestEndedAtMs + this.#options.inFlightMs;
    if (askedAtMs >= landedByMs) {
      return this.#learn(order, "absent", { message: "the venue never got it" }, nowMs, changes);
    }
    this.#asks.again(order, nowMs);
    this.#asks.want(order, Math.max(landedByMs, nowMs + 1));
  }

  #reported(
    order: TrackedOrder,
    report: OrderReport,
    askedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const endedAtMs = order.endedAtMs;
    this.#observe(order, report, nowMs, changes);
    if (order.phase === "ended") {
      const isLater = endedAtMs !== undefined && askedAtMs > endedAtMs;
      if (isLater && !isTerminal(report.status)) {
        const text = `the venue ended it as ${order.status} and now shows it as ${report.status}`;
        this.#warn(order, "ORDER_CONTRADICTION", text, changes);
      }
      return this.#asks.clear(order);
    }
    const isPending = report.status === "PENDING_NEW" || report.status === "PENDING_CANCEL";
    if (this.#cancelSettled(order, askedAtMs, nowMs, changes) && !isPending) {
      this.#asks.clear(order);
    } else {
      this.#asks.again(order, nowMs);
    }
  }

  /** What an order that was seen open says of its cancel; false when that is still in question. */
  #cancelSettled(
    order: TrackedOrder,
    askedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): boolean {
    if (order.cancel === "none" || order.cancel === "in-flight") return true;
    const endedAtMs = order.cancelEndedAtMs;
    if (endedAtMs === undefined || askedAtMs < endedAtMs) return false;
    if (order.cancel === "accepted") {
      if (askedAtMs < endedAtMs + this.#options.inFlightMs) return false;
      const text = "its cancel was accepted and it is open all the same";
      this.#warn(order, "CANCEL_WITHOUT_EFFECT", text, changes);
    }
    this.#moveCancel(order, "stillOpen");
    return true;
  }

  /** The account's open orders, all pages, asked at `askedAtMs` (§4.2: NEW and PARTIALLY_FILLED only). */
  openOrders(
    reports: readonly OrderReport[],
    askedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    const listed = new Set<TrackedOrder>();
    let foreign = 0;
    for (const report of reports) {
      const order = this.#byId.get(report.orderId);
      if (order === undefined) {
        foreign += 1;
        continue;
      }
      listed.add(order);
      if (order.phase !== "ended" || wasNeverPlaced(order)) {
        this.#reported(order, report, askedAtMs, nowMs, changes);
      } else if (order.endedAtMs !== undefined && askedAtMs > order.endedAtMs) {
        // Ended by the venue's own word and listed again: only a question by id can tell.
        this.#asks.want(order, nowMs);
      }
    }
    this.#foreign = foreign;
    for (const order of this.#live) {
      const { phase, ackedAtMs } = order;
      const shouldBeListed = phase === "working" && ackedAtMs !== undefined && ackedAtMs < askedAtMs;
      // Missing is not ended: it may be pending, or the list older than it looks.
      if (shouldBeListed && !listed.has(order)) this.#asks.want(order, nowMs);
    }
    return changes;
  }

  /** Orders that an earlier run left behind: exposure, unknown, asked about at once. Returns those that are tracked now. */
  restore(restored: readonly RestoredOrder[], nowMs: UnixMs): readonly TrackedOrder[] {
    const orders: TrackedOrder[] = [];
    for (const saved of restored) {
      if (this.#byId.has(saved.orderId)) continue;
      this.#restored += 1;
      const order = blankOrder({
        intent: -this.#restored,
        nonce: saved.nonce,
        strategy: saved.strategy,
        marketId: saved.marketId,
        side: saved.side,
        price: saved.price,
        quantity: fixed(saved.quantity),
        // A time nonce is about when it was made (§4.4).
        madeAtMs: saved.nonce >= FIRST_TIME_NONCE ? unixMs(saved.nonce) : nowMs,
      });
      order.orderId = saved.orderId;
      order.executed = fixed(saved.executed);
      order.filled = order.executed;
      order.phase = "unknown";
      order.requestEndedAtMs = nowMs;
      if (order.executed > ZERO) order.ackedAtMs = nowMs;
      for (const tradeId of saved.tradeIds) this.#fills.add(saved.orderId, tradeId);
      this.#byId.set(saved.orderId, order);
      this.#byIntent.set(order.intent, order);
      this.#live.add(order);
      this.#sums.update(order);
      this.#asks.want(order, nowMs);
      orders.push(order);
    }
    return orders;
  }

  // ── questions to the tracker ──────────────────────────────────────

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#byId.get(orderId);
  }

  /** By the intent of the placement. */
  byIntent(intent: number): TrackedOrder | undefined {
    return this.#byIntent.get(intent);
  }

  /** Everything that has not ended, oldest first. */
  live(strategy?: string): readonly TrackedOrder[] {
    const orders: TrackedOrder[] = [];
    for (const order of this.#live) {
      if (strategy === undefined || order.strategy === strategy) orders.push(order);
    }
    return orders;
  }

  /** Orders that the venue is to be asked about by id. Say `asked` for each that is. */
  toAsk(nowMs: UnixMs): readonly TrackedOrder[] {
    return this.#asks.due(nowMs);
  }

  /** The question about it was put; the next is due after a growing wait. */
  asked(order: TrackedOrder, nowMs: UnixMs): void {
    this.#asks.asked(order, nowMs);
  }

  /** When the next question is due; undefined when nothing is in question. */
  nextAskMs(): UnixMs | undefined {
    return this.#asks.nextMs();
  }

  /** Orders with executed quantity that no known fill explains, ended ones too. */
  missingFills(): readonly TrackedOrder[] {
    return [...this.#missing];
  }

  /** Price → remaining quantity of ours that the venue acknowledged: the same Map for good, changed in place. */
  ownQuantityByPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#sums.byPrice(marketId, side);
  }

  /** What all our in-flight, unknown and working orders of a side may still fill, base token. */
  exposure(marketId: MarketId, side: Side): Fixed {
    return this.#sums.exposure(marketId, side);
  }

  get counts(): OrderCounts {
    const counts = { "in-flight": 0, unknown: 0, working: 0, ended: 0 };
    for (const order of this.#live) counts[order.phase] += 1;
    return {
      inFlight: counts["in-flight"],
      unknown: counts.unknown,
      working: counts.working,
      ended: this.#ended.size,
      foreign: this.#foreign,
      missingFills: this.#missing.size,
    };
  }

  // ── the one place where an order changes ──────────────────────────

  #observe(order: TrackedOrder, said: OrderReport, nowMs: UnixMs, changes: OrderChange[]): void {
    const known = order.status;
    const isContradiction =
      known !== undefined && isTerminal(known) && isTerminal(said.status) && known !== said.status;
    if (isContradiction) {
      const text = `the venue ended it as ${known} and now says ${said.status}`;
      this.#warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    const word = isTerminal(said.status) ? "over" : "open";
    const { status, executedQty: executed } = said;
    this.#learn(order, word, { status, executed }, nowMs, changes);
  }

  #learn(
    order: TrackedOrder,
    word: OrderWord,
    said: Said,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const before = { phase: order.phase, status: order.status, executed: order.executed };
    const missingBefore = missingOf(order);
    const stage = stageOf(order);
    order.executed = maxFixed(order.executed, maxFixed(order.filled, said.executed ?? ZERO));
    const isFull = order.executed >= order.quantity;
    const proves = word === "accepted" || word === "open" || word === "over";
    const next = orderMoves[stage][proves && isFull ? "over" : word];

    if (proves) {
      const part = isFull ? "all" : order.executed > ZERO ? "some" : "nothing";
      const status = said.status ?? order.status ?? "NEW";
      order.status = mergeStatus(order.status, status, part);
      order.ackedAtMs ??= nowMs;
    }
    if (stage === "never-placed" && next !== stage) {
      this.#warn(order, "ORDER_APPEARED", "an order held for never placed is there", changes);
    }
    this.#enter(order, next, nowMs);
    this.#sums.update(order);

    const message = said.message ?? "";
    const changed =
      order.phase !== before.phase ||
      order.status !== before.status ||
      order.executed !== before.executed;
    if (changed) changes.push({ type: "order", order, status: shownStatus(order), word, message });
    if (order.executed > order.quantity && order.executed !== before.executed) {
      this.#warn(order, "OVERFILL", "more was executed than was ordered", changes);
    }
    const missing = missingOf(order);
    if (missing > missingBefore) changes.push({ type: "missingFills", order, quantity: missing });
    this.#noteMissing(order);
    this.#evict();
  }

  #enter(order: TrackedOrder, stage: OrderStage, nowMs: UnixMs): void {
    const phase = stage === "never-placed" ? "ended" : stage;
    if (phase === order.phase) return;
    order.phase = phase;
    if (phase === "ended") {
      order.endedAtMs = nowMs;
      this.#live.delete(order);
      this.#ended.add(order);
      this.#asks.clear(order);
    } else {
      order.endedAtMs = undefined;
      this.#ended.delete(order);
      this.#live.add(order);
    }
  }

  /** Books a fill; false when it is already booked or cannot be. */
  #book(order: TrackedOrder, fill: Fill, changes: OrderChange[]): boolean {
    if (!this.#fills.add(fill.orderId, fill.tradeId)) return false;
    const filled = (order.filled + fill.quantity) as Fixed;
    if (filled > order.quantity) {
      // An order cannot be filled beyond its size: rather the same fill under another trade id.
      const text = `trade ${fill.tradeId} exceeds what was ordered and is not booked`;
      this.#warn(order, "OVERFILL", text, changes);
      return false;
    }
    order.filled = filled;
    this.#noteMissing(order);
    changes.push({ type: "fill", order, fill });
    return true;
  }

  #noteMissing(order: TrackedOrder): void {
    if (missingOf(order) > ZERO) this.#missing.add(order);
    else this.#missing.delete(order);
  }

  #moveCancel(order: TrackedOrder, word: CancelWord): void {
    order.cancel = cancelMoves[order.cancel][word];
  }

  #warn(order: TrackedOrder, code: TrackerWarning, message: string, changes: OrderChange[]): void {
    changes.push({ type: "warning", order, code, message });
  }

  /** Forgets the oldest ended orders and their trades beyond the bounds. */
  #evict(): void {
    const { maxEnded, maxTradeIds } = this.#options;
    for (const order of this.#ended) {
      if (this.#ended.size <= maxEnded && this.#fills.size <= maxTradeIds) return;
      this.#ended.delete(order);
      this.#missing.delete(order);
      this.#asks.clear(order);
      this.#byIntent.delete(order.intent);
      if (order.orderId === undefined) continue;
      this.#byId.delete(order.orderId);
      this.#fills.forget(order.orderId);
    }
  }
}

function stageOf(order: TrackedOrder): OrderStage {
  return wasNeverPlaced(order) ? "never-placed" : order.phase;
}

function orderWordOf(outcome: CommandOutcome): OrderWord {
  if (outcome.type === "not-sent") return "notSent";
  return outcome.type === "unknown" ? "noAnswer" : outcome.type;
}

function cancelWordOf(outcome: CommandOutcome): CancelWord {
  if (outcome.type === "not-sent") return "notSent";
  if (outcome.type === "unknown") return "noAnswer";
  if (outcome.type === "accepted") return "accepted";
  // Too many requests, or a nonce taken: says nothing of the order (D11).
  return outcome.code === 429 || outcome.code === 409 ? "busy" : "refused";
}

type Wish = Pick<
  TrackedOrder,
  "intent" | "nonce" | "strategy" | "marketId" | "side" | "price" | "quantity" | "madeAtMs"
>;

function blankOrder(wish: Wish): TrackedOrder {
  return {
    intent: wish.intent,
    orderId: undefined,
    nonce: wish.nonce,
    strategy: wish.strategy,
    marketId: wish.marketId,
    side: wish.side,
    price: wish.price,
    quantity: wish.quantity,
    executed: ZERO,
    filled: ZERO,
    phase: "in-flight",
    status: undefined,
    cancel: "none",
    cancelIntent: 0,
    cancelEndedAtMs: undefined,
    cancelFailures: 0,
    madeAtMs: wish.madeAtMs,
    requestEndedAtMs: undefined,
    ackedAtMs: undefined,
    endedAtMs: undefined,
    askAtMs: undefined,
    asks: 0,
  };
}
