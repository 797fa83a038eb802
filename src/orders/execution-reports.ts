import { isTerminal, type Fill, type OrderEvent, type OrderReport } from "../domain/order.ts";
import { maxFixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Absence } from "./absence.ts";
import { ForeignOrders } from "./foreign-orders.ts";
import { warn, type OrderChange } from "./order-change.ts";
import { CANCEL_EFFECT_MS } from "./order-machine.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { readBack } from "./read-back.ts";
import { isDormant, pairOf, wasGivenUp, type TrackedOrder } from "./tracked-order.ts";

/** A report over REST, and when its query was sent. */
interface QueriedReport {
  readonly report: OrderReport;
  readonly queriedAtMs: number;
}

/** Applies the venue's reports about orders, in any order, repeated, late or never (D31). Each fill is booked once, and silence proves nothing. */
export class ExecutionReports {
  readonly #orders: OrderRegistry;
  readonly #absence: Absence;
  readonly #inFlightMs: number;
  /** They are touched only where an operator says so. */
  readonly foreign: ForeignOrders;

  /** A list that was requested less than `inFlightMs` after something happened may not show it yet. */
  constructor(orders: OrderRegistry, absence: Absence, inFlightMs: number) {
    this.#orders = orders;
    this.#absence = absence;
    this.#inFlightMs = inFlightMs;
    this.foreign = new ForeignOrders((orderId) => orders.byId(orderId) !== undefined);
  }

  /** An ORDER event of the user stream (§6.4). */
  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    const order = this.#orders.byId(event.order.orderId);
    if (order === undefined) {
      this.foreign.reported(event.order);
      return [];
    }
    const changes: OrderChange[] = [];
    order.eventBlock ??= event.blockNumber;
    readBack(this.#orders, order, event.order, changes);
    if (event.eventType === "TRIGGER") this.#orders.fired(order, changes);
    if (event.fill !== undefined) this.#orders.book(order, event.fill, changes);
    // A cancel that was refused before the order reached the venue may be made again.
    if (event.eventType === "NEW" && order.cancel === "refused") {
      this.#orders.moveCancel(order, "stillOpen", changes);
    }
    this.#observe(order, event.order, nowMs, changes);
    return changes;
  }

  /** Own fills from REST (§2.6). Fills of foreign orders are ignored. */
  fills(fills: readonly Fill[], nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    for (const fill of fills) {
      const order = this.#orders.byId(fill.orderId);
      if (order === undefined || !this.#orders.book(order, fill, changes)) continue;
      // A fill proves that the order was there, not that it still is.
      const isSurprise = wasGivenUp(order);
      const kind = order.phase === "pending" ? "open" : "accepted";
      this.#orders.learn(order, { kind }, nowMs, changes);
      if (isSurprise && order.phase !== "ended") this.#orders.queries.want(order, nowMs);
    }
    return changes;
  }

  /** The response to a query by id, sent at `queriedAtMs`. */
  report(
    orderId: OrderId,
    report: OrderReport | "absent",
    queriedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    const order = this.#orders.byId(orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    if (report === "absent") this.#absence.unknownById(order, queriedAtMs, nowMs, changes);
    else this.#reported(order, { report, queriedAtMs }, nowMs, changes);
    return changes;
  }

  #reported(
    order: TrackedOrder,
    { report, queriedAtMs }: QueriedReport,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { queries } = this.#orders;
    readBack(this.#orders, order, report, changes);
    this.#observe(order, report, nowMs, changes);
    if (order.phase === "ended") return queries.clear(order);
    // No list of open orders shows pending orders (§4.2), so they are queried by id.
    const { status } = report;
    const isWaiting = isDormant(order) && pairOf(order)?.phase !== "ended";
    const isPending = (status === "PENDING_NEW" && !isWaiting) || status === "PENDING_CANCEL";
    const isSettled = this.#cancelSettled(order, queriedAtMs, changes);
    if (isSettled && !isPending) queries.clear(order);
    else queries.again(order, nowMs);
  }

  /** Settles the newest cancel of an order that was seen open; false when its outcome is still in doubt. */
  #cancelSettled(order: TrackedOrder, queriedAtMs: number, changes: OrderChange[]): boolean {
    if (order.cancel === "none" || order.cancel === "in-flight") return true;
    const endedAtMs = order.cancelEndedAtMs;
    if (endedAtMs === undefined) return false;
    const isAccepted = order.cancel === "accepted";
    // An accepted one may still take effect.
    if (queriedAtMs < endedAtMs + (isAccepted ? CANCEL_EFFECT_MS : 0)) return false;
    if (isAccepted) {
      const text = "its cancel was accepted, but the venue still shows it";
      warn(order, "CANCEL_WITHOUT_EFFECT", text, changes);
    }
    this.#orders.moveCancel(order, "stillOpen", changes);
    return true;
  }

  /** The account's open orders, all pages, requested at `queriedAtMs` (§4.2: NEW and PARTIALLY_FILLED only). */
  openOrders(
    reports: readonly OrderReport[],
    queriedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    const listed = new Set<TrackedOrder>();
    this.foreign.listed(reports);
    for (const report of reports) {
      const order = this.#orders.byId(report.orderId);
      if (order === undefined) continue;
      listed.add(order);
      const { phase, endedAtMs } = order;
      if (phase !== "ended" || wasGivenUp(order)) {
        this.#reported(order, { report, queriedAtMs }, nowMs, changes);
      } else if (endedAtMs !== undefined && queriedAtMs > endedAtMs) {
        // Until then the list may be older than it looks.
        const isLate = queriedAtMs >= endedAtMs + this.#inFlightMs;
        this.#reopen(order, report, isLate, changes);
      }
    }
    for (const order of this.#orders.live()) {
      if (listed.has(order)) continue;
      if (awaitsFirstQuery(order)) this.#orders.queries.want(order, nowMs);
      // A missing order has not necessarily ended: the list may be older than it looks.
      if (!isDormant(order)) this.#absence.unlisted(order, queriedAtMs, nowMs, changes);
    }
    this.#orders.listed(queriedAtMs);
    return changes;
  }

  /** An ended order that a later list shows is live again, be it a quote, a stop order or a leg. */
  #reopen(
    order: TrackedOrder,
    { status, executedQty }: OrderReport,
    isLate: boolean,
    changes: OrderChange[],
  ): void {
    // No fill shows the quantity that only its false end told.
    const executed = maxFixed(order.filled, executedQty);
    const isOpen = this.#orders.reopen(order, { status, executed }, changes);
    const text = isOpen
      ? "the venue had ended it and lists it as open: it counts again"
      : "the venue had executed it in full and lists it as open";
    if (isLate) warn(order, "ORDER_RETURNED", text, changes);
  }

  #observe(order: TrackedOrder, report: OrderReport, nowMs: UnixMs, changes: OrderChange[]): void {
    const { status, executedQty: executed } = report;
    const known = order.status;
    const waits = order.leg !== undefined && status === "PENDING_NEW" && order.phase !== "unknown";
    const kind = isTerminal(status) ? "over" : waits ? "accepted" : "open";
    if (known !== undefined && isTerminal(known) && kind === "over" && known !== status) {
      const text = `the venue ended it as ${known} and now reports ${status}`;
      warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    this.#orders.learn(order, { kind, status, executed }, nowMs, changes);
  }
}

/** An order of an earlier run that has not been queried yet. */
function awaitsFirstQuery({ origin, queries, queryAtMs }: TrackedOrder): boolean {
  return origin === "adopted" && queries === 0 && queryAtMs !== undefined;
}
