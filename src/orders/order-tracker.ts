import { assert } from "../base/assert.ts";
import type {
  CancelCommand,
  CommandOutcome,
  ModifyCommand,
  PlaceCommand,
  StopCommand,
} from "../domain/command.ts";
import { fixedText, fixedToNumber, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { isTerminal, type Fill, type OrderEvent, type OrderReport } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { AskPatience } from "./ask-schedule.ts";
import { liveLegs } from "./bracket.ts";
import { blankOrder, legsOf, restoredOrder, stopOrder } from "./new-order.ts";
import { isLost, noteAbsence } from "./lost-order.ts";
import type { OrderChange } from "./order-change.ts";
import { cancelMoves, cancelWordOf, orderWordOf, type CancelWord } from "./order-machine.ts";
import { OrderRegistry, warn } from "./order-registry.ts";
import type { RestoredOrder } from "./restored-order.ts";
import { checkKind } from "./stop-kind.ts";
import { tieLegs } from "./tie-legs.ts";
import { isDormant, wasGivenUp, type TrackedOrder } from "./tracked-order.ts";

export interface OrderTrackerOptions extends AskPatience {
  /** Ended orders remembered, so that late and repeated words about them are understood. */
  readonly maxEnded: number;
  /** Trade ids remembered, besides those of live orders; default four for each ended order. */
  readonly maxTradeIds?: number;
  /** A request that ended without an answer can land no later than this. Default 10 s. */
  readonly inFlightMs?: number;
  /** So long nothing of the venue may know an order that it had acknowledged before it counts no more. Default 2 min. */
  readonly lostMs?: number | undefined;
}

export interface OrderCounts {
  readonly inFlight: number;
  readonly unknown: number;
  /** Legs that wait for what brings them along. */
  readonly pending: number;
  readonly working: number;
  /** Ended ones still remembered. */
  readonly ended: number;
  /** Open orders of the account that are not ours, in the newest list. */
  readonly foreign: number;
  readonly missingFills: number;
}

/**
 * Every order of ours from the wish to its end, keyed by the id that is known before it is sent (§1.7). It takes what is
 * learned in any order, repeated, late or never (D31), and keeps what is certain: `executed` never falls, what the venue
 * ended never reopens, a fill is yielded once, silence is never an answer. Foreign orders are counted and never touched.
 * The moves stand in order-machine.ts.
 */
export class OrderTracker {
  readonly #orders: OrderRegistry;
  readonly #askFirstMs: number;
  readonly #inFlightMs: number;
  readonly #lostMs: number;
  /** Cancels whose request is open, by intent. */
  readonly #cancels = new Map<number, TrackedOrder>();
  #foreign = 0;
  #restored = 0;

  constructor(options: OrderTrackerOptions) {
    const { maxEnded, maxTradeIds = 4 * maxEnded, askFirstMs, askMaxMs } = options;
    assert(maxEnded > 0 && maxTradeIds > 0, "some memory");
    assert(askFirstMs > 0 && askMaxMs >= askFirstMs, "a back-off that grows from above 0");
    this.#orders = new OrderRegistry({ maxEnded, maxTradeIds }, { askFirstMs, askMaxMs });
    this.#askFirstMs = askFirstMs;
    this.#inFlightMs = options.inFlightMs ?? 10_000;
    this.#lostMs = options.lostMs ?? 120_000;
  }

  // ── our own commands ──────────────────────────────────────────────

  /**
   * A placement was decided: exposure from now on. Quantities in base token only (§2.1 mode 0). Legs that it brings along are
   * orders from now on, too.
   */
  place(command: PlaceCommand | StopCommand, nowMs: UnixMs): TrackedOrder {
    assert(command.orderMode === 0, "tracked orders have their quantity in base token");
    const isStop = command.type === "stop";
    const order = isStop ? stopOrder(command, nowMs) : blankOrder(command, nowMs);
    this.#orders.add(order);
    if (!isStop && command.tpsl !== undefined) {
      for (const leg of legsOf(command, command.tpsl, order)) this.#orders.add(leg);
    }
    return order;
  }

  /**
   * A modify of one of our orders was decided: the replacement is an order of its own from now on, the original is on its way
   * out as by a cancel. Both may live until the venue says otherwise.
   */
  modifyMade(command: ModifyCommand, nowMs: UnixMs): TrackedOrder {
    const original = this.#orders.byId(command.orderId);
    assert(original !== undefined && mayBeModified(original), "an order that may be modified");
    const { newPrice: price, newQty: quantity } = command;
    const order = blankOrder({ ...command, price, quantity }, nowMs);
    this.#orders.addReplacement(order, original);
    this.#leaves(original, command.intent);
    return order;
  }

  /** The bytes of an intent are signed; the hash of what makes an order is its id, and those of its legs follow from it. */
  signed(intent: number, txHash: OrderId): void {
    const order = this.#orders.byIntent(intent);
    if (order === undefined) return;
    this.#orders.name(order, txHash);
    const { bracket } = order;
    if (bracket === undefined) return;
    const ids = legIdsOf(txHash);
    for (const leg of liveLegs(bracket)) {
      this.#orders.name(leg, leg.leg === "stopLoss" ? ids.stopLoss : ids.takeProfit);
    }
  }

  /** A cancel of one of our orders was decided. */
  cancelMade(command: CancelCommand): void {
    const order = this.#orders.byId(command.orderId);
    if (order !== undefined) this.#leaves(order, command.intent);
  }

  #leaves(order: TrackedOrder, intent: number): void {
    moveCancel(order, "made");
    order.cancelIntent = intent;
    order.cancelEndedAtMs = undefined;
    this.#cancels.set(intent, order);
  }

  /** A command's request ended (D11). */
  answered(intent: number, outcome: CommandOutcome, nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    const placed = this.#orders.byIntent(intent);
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
    const word = orderWordOf(outcome);
    const message = outcome.type === "accepted" ? "" : outcome.message;
    const wasWorking = order.phase === "working";
    order.requestEndedAtMs = nowMs;
    const { bracket } = order;
    if (bracket !== undefined) for (const leg of liveLegs(bracket)) leg.requestEndedAtMs = nowMs;
    this.#orders.learn(order, word, { message }, nowMs, changes);
    if (order.phase === "ended") return;
    if (word === "accepted") {
      // A cancel that came too early for the venue may be made again.
      if (order.cancel === "refused") moveCancel(order, "stillOpen");
      // Its size is told by an event or, failing that, by a question.
      if (order.replaced !== undefined) this.#orders.asks.want(order, nowMs + this.#askFirstMs);
      return;
    }
    if (wasWorking && word !== "noAnswer") {
      const text = `its placement was answered "${message}" after it had been acknowledged`;
      warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    this.#orders.asks.want(order, nowMs + this.#askFirstMs);
  }

  #cancelAnswered(
    order: TrackedOrder,
    outcome: CommandOutcome,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { asks } = this.#orders;
    const word = cancelWordOf(outcome);
    order.cancelEndedAtMs = nowMs;
    moveCancel(order, word);
    if (order.phase === "ended") return;
    if (word === "accepted") {
      // The venue had it. Its end is told by an event or, failing that, by a question.
      order.cancelFailures = 0;
      this.#orders.learn(order, "accepted", {}, nowMs, changes);
      asks.want(order, nowMs + this.#askFirstMs);
    } else if (word === "refused") {
      order.cancelFailures += 1;
      // While its own request is open the order may just not be there yet: nothing changes.
      if (order.requestEndedAtMs === undefined) return;
      order.cancelFoundNone = outcome.type === "refused" && outcome.code === 404;
      // It knows something of it, or the refusal was not the order's.
      if (!order.cancelFoundNone) order.disappearance = undefined;
      const failures = order.cancelFailures;
      asks.want(order, nowMs + (failures > 1 ? asks.waitMs(failures - 1) : 0));
    } else if (word === "noAnswer") {
      order.cancelFailures += 1;
      asks.want(order, nowMs + asks.waitMs(order.cancelFailures));
    }
  }

  // ── the venue's words ─────────────────────────────────────────────

  /** An ORDER event of the user stream (§6.4): before, after or without the answer, repeated, out of order. */
  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    const order = this.#orders.byId(event.order.orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    order.eventBlock ??= event.blockNumber;
    this.#readBack(order, event.order, changes);
    if (event.eventType === "TRIGGER") this.#orders.fired(order, changes);
    if (event.fill !== undefined) this.#orders.book(order, event.fill, changes);
    this.#observe(order, event.order, nowMs, changes);
    return changes;
  }

  /**
   * Own fills from REST (§2.6), asked for at `askedAtMs`, since the oldest order whose fills are not all known. Those of other
   * orders are left alone.
   */
  fills(fills: readonly Fill[], askedAtMs: number, nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    for (const fill of fills) {
      const order = this.#orders.byId(fill.orderId);
      if (order === undefined || !this.#orders.book(order, fill, changes)) continue;
      // It shows that the order was there, not that it still is.
      const isSurprise = wasGivenUp(order);
      this.#orders.learn(
        order,
        order.phase === "pending" ? "open" : "accepted",
        {},
        nowMs,
        changes,
      );
      if (isSurprise && order.phase !== "ended") this.#orders.asks.want(order, nowMs);
    }
    for (const order of this.vanished()) {
      if (order.disappearance !== undefined) order.disappearance.noFillMs = askedAtMs;
      this.#giveUpLost(order, nowMs, changes);
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
    const order = this.#orders.byId(orderId);
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
    const { asks } = this.#orders;
    // Over anyway; or its request is still open, whose end asks again if need be. A leg that waits need not be shown.
    if (order.phase === "ended" || order.requestEndedAtMs === undefined || isDormant(order)) {
      return asks.clear(order);
    }
    if (order.ackedAtMs !== undefined) {
      if (askedAtMs > order.ackedAtMs && noteAbsence(order, askedAtMs)) {
        const text = "the venue had acknowledged it and now knows no such order";
        warn(order, "ORDER_VANISHED", text, changes);
      }
      asks.again(order, nowMs);
      const { cancelEndedAtMs } = order;
      // A cancel that was not answered, or was taken and then forgotten with the order, proves nothing: another one may be made.
      const isSpent = cancelEndedAtMs !== undefined && askedAtMs >= cancelEndedAtMs;
      if (isSpent && !order.cancelFoundNone) moveCancel(order, "stillOpen");
      return this.#giveUpLost(order, nowMs, changes);
    }
    const landedByMs = order.requestEndedAtMs + this.#inFlightMs;
    if (askedAtMs >= landedByMs) {
      const message = "the venue never got it";
      return this.#orders.learn(order, "absent", { message }, nowMs, changes);
    }
    asks.again(order, nowMs);
    asks.want(order, Math.max(landedByMs, nowMs + 1));
  }

  /** Ends an order that the venue has lost, as far as everything that it tells goes. */
  #giveUpLost(order: TrackedOrder, nowMs: UnixMs, changes: OrderChange[]): void {
    if (!isLost(order, this.#lostMs)) return;
    const seconds = this.#lostMs / 1000;
    const text = `the venue had acknowledged it, and knew nothing of it for ${seconds} s, by id, among open orders and fills, and to cancel: it counts no more`;
    this.#orders.learn(order, "lost", { message: "the venue has lost it" }, nowMs, changes);
    warn(order, "ORDER_LOST", text, changes);
  }

  #reported(
    order: TrackedOrder,
    report: OrderReport,
    askedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { asks } = this.#orders;
    const { endedAtMs } = order;
    this.#readBack(order, report, changes);
    this.#observe(order, report, nowMs, changes);
    if (order.phase === "ended") {
      const isLater = endedAtMs !== undefined && askedAtMs > endedAtMs;
      if (isLater && !isTerminal(report.status)) {
        const text = `the venue ended it as ${order.status} and now shows it as ${report.status}`;
        warn(order, "ORDER_CONTRADICTION", text, changes);
      }
      return asks.clear(order);
    }
    // Pending orders stand in no list of open orders (§4.2), so they are followed by questions.
    const { status } = report;
    const isPending =
      (status === "PENDING_NEW" && !isDormant(order)) || status === "PENDING_CANCEL";
    if (this.#cancelSettled(order, askedAtMs, changes) && !isPending) asks.clear(order);
    else asks.again(order, nowMs);
  }

  /** What an order that was seen open says of its cancel; false when that is still in question. */
  #cancelSettled(order: TrackedOrder, askedAtMs: number, changes: OrderChange[]): boolean {
    if (order.cancel === "none" || order.cancel === "in-flight") return true;
    const endedAtMs = order.cancelEndedAtMs;
    if (endedAtMs === undefined || askedAtMs < endedAtMs) return false;
    if (order.cancel === "accepted") {
      if (askedAtMs < endedAtMs + this.#inFlightMs) return false;
      warn(order, "CANCEL_WITHOUT_EFFECT", "its cancel was accepted, yet it is open", changes);
    }
    moveCancel(order, "stillOpen");
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
    this.#foreign = 0;
    for (const report of reports) {
      const order = this.#orders.byId(report.orderId);
      if (order === undefined) {
        this.#foreign += 1;
        continue;
      }
      listed.add(order);
      if (order.phase !== "ended" || wasGivenUp(order)) {
        this.#reported(order, report, askedAtMs, nowMs, changes);
      } else if (order.endedAtMs !== undefined && askedAtMs > order.endedAtMs) {
        // Ended by the venue's own word and listed again: only a question by id can tell.
        this.#orders.asks.want(order, nowMs);
      }
    }
    for (const order of this.#orders.live()) {
      const { phase, ackedAtMs } = order;
      const shouldBeThere = phase === "working" && ackedAtMs !== undefined && ackedAtMs < askedAtMs;
      // Missing is not ended: it may be pending, or the list older than it looks.
      if (shouldBeThere && !listed.has(order)) this.#orders.asks.want(order, nowMs);
    }
    for (const order of this.vanished()) {
      if (order.disappearance === undefined || listed.has(order)) continue;
      order.disappearance.unlistedMs = askedAtMs;
      this.#giveUpLost(order, nowMs, changes);
    }
    return changes;
  }

  /** Orders that an earlier run left behind: exposure, unknown, asked about at once. Returns those that are tracked now. */
  restore(restored: readonly RestoredOrder[], nowMs: UnixMs): readonly TrackedOrder[] {
    const orders: TrackedOrder[] = [];
    for (const saved of restored) {
      if (this.#orders.byId(saved.orderId) !== undefined) continue;
      this.#restored += 1;
      const order = restoredOrder(saved, -this.#restored, nowMs);
      this.#orders.add(order, saved.tradeIds);
      this.#orders.asks.want(order, nowMs);
      orders.push(order);
    }
    tieLegs(this.#orders, restored);
    return orders;
  }

  /** The venue's word on the size of a leg, or of a replacement (D23); a fill of the original before the modify makes it smaller. */
  #readBack(order: TrackedOrder, said: OrderReport, changes: OrderChange[]): void {
    const { replaced, quantity, price } = order;
    if (order.leg !== undefined) this.#orders.resize(order, said.origQty);
    if (said.isTriggered === true) this.#orders.fired(order, changes);
    checkKind(order, said, changes);
    if (replaced === undefined) return;
    const saidPrice = fixedToNumber(said.price);
    const isExpected =
      said.origQty === quantity || said.origQty === subFixed(quantity, replaced.executed);
    this.#orders.readBack(order, saidPrice, said.origQty);
    if (order.phase === "working" && order.cancel === "none") this.#orders.asks.clear(order);
    if (isExpected && saidPrice === price) return;
    const text = `the modify asked for ${fixedText(quantity)} at ${price}, the venue made ${fixedText(said.origQty)} at ${saidPrice} of it`;
    warn(order, "MODIFY_DIFFERS", text, changes);
  }

  #observe(order: TrackedOrder, said: OrderReport, nowMs: UnixMs, changes: OrderChange[]): void {
    const { status, executedQty: executed } = said;
    const known = order.status;
    const waits = order.leg !== undefined && status === "PENDING_NEW" && order.phase !== "unknown";
    const word = isTerminal(status) ? "over" : waits ? "accepted" : "open";
    if (known !== undefined && isTerminal(known) && word === "over" && known !== status) {
      const text = `the venue ended it as ${known} and now says ${status}`;
      warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    this.#orders.learn(order, word, { status, executed }, nowMs, changes);
  }

  // ── questions to the tracker ──────────────────────────────────────

  byId(orderId: OrderId): TrackedOrder | undefined {
    return this.#orders.byId(orderId);
  }

  /** By the intent of the placement. */
  byIntent(intent: number): TrackedOrder | undefined {
    return this.#orders.byIntent(intent);
  }

  /** Everything that has not ended, oldest first. */
  live(strategy?: string): readonly TrackedOrder[] {
    return this.#orders.live(strategy);
  }

  /** Orders that the venue is to be asked about by id now. Say `asked` for each that is. */
  toAsk(nowMs: UnixMs): readonly TrackedOrder[] {
    return this.#orders.asks.due(nowMs);
  }

  /** The question about it was put; the next is due after a growing wait. */
  asked(order: TrackedOrder, nowMs: UnixMs): void {
    this.#orders.asks.asked(order, nowMs);
  }

  /** Live orders of a strategy that quotes are compared with. */
  quotes(strategy: string): readonly TrackedOrder[] {
    return this.#orders.quotes(strategy);
  }

  /** Live stop orders and legs of a strategy. */
  contingent(strategy: string): readonly TrackedOrder[] {
    return this.#orders.contingent(strategy);
  }

  /** Live orders that the venue had acknowledged, and of which it knows nothing when asked by id. */
  vanished(): readonly TrackedOrder[] {
    return this.#orders.live().filter(({ disappearance }) => disappearance !== undefined);
  }

  /** When the next question is due; undefined when nothing is in question. */
  nextAskMs(): UnixMs | undefined {
    return this.#orders.asks.nextMs();
  }

  /** Orders with executed quantity that no known fill explains, ended ones too. */
  missingFills(): readonly TrackedOrder[] {
    return [...this.#orders.missing];
  }

  /** Price → remaining quantity of ours that the venue acknowledged: the same Map for good, changed in place. */
  ownQuantityByPrice(marketId: MarketId, side: Side): ReadonlyMap<number, number> {
    return this.#orders.sums.byPrice(marketId, side);
  }

  /** What all our in-flight, unknown and working orders of a side may still fill, base token. */
  exposure(marketId: MarketId, side: Side): Fixed {
    return this.#orders.sums.exposure(marketId, side);
  }

  /** How much it remembers of everything: for those who watch that nothing grows. */
  get sizes(): Readonly<Record<string, number>> {
    return { ...this.#orders.sizes, openCancels: this.#cancels.size };
  }

  get counts(): OrderCounts {
    const { ended, missing } = this.#orders;
    const phases = { "in-flight": 0, unknown: 0, pending: 0, working: 0, ended: 0 };
    for (const order of this.live()) phases[order.phase] += 1;
    return {
      inFlight: phases["in-flight"],
      unknown: phases.unknown,
      pending: phases.pending,
      working: phases.working,
      ended: ended.size,
      foreign: this.#foreign,
      missingFills: missing.size,
    };
  }
}

/** A live client modifies only what rests untouched, and whose size it knows (D23). */
export function mayBeModified(order: TrackedOrder): boolean {
  return (
    order.phase === "working" &&
    order.status === "NEW" &&
    order.price > 0 &&
    order.executed === ZERO &&
    order.filled === ZERO &&
    order.cancel === "none" &&
    order.replaced === undefined &&
    // What a modify makes of take profit and stop loss, and of a trigger, cannot be said with it.
    order.bracket === undefined &&
    order.trigger === undefined
  );
}

function moveCancel(order: TrackedOrder, word: CancelWord): void {
  order.cancel = cancelMoves[order.cancel][word];
}
