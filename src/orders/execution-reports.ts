import { isTerminal, type Fill, type OrderEvent, type OrderReport } from "../domain/order.ts";
import type { OrderId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Absence } from "./absence.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { readBack } from "./read-back.ts";
import { isDormant, wasGivenUp, type TrackedOrder } from "./tracked-order.ts";

/**
 * What the venue says of orders: by events, in lists, and when asked about one. OrderTracker says what each method is for.
 */
export class ExecutionReports {
  readonly #orders: OrderRegistry;
  readonly #absence: Absence;
  readonly #inFlightMs: number;
  #foreign = 0;

  /** A request that ended without an answer can land no later than after `inFlightMs`. */
  constructor(orders: OrderRegistry, absence: Absence, inFlightMs: number) {
    this.#orders = orders;
    this.#absence = absence;
    this.#inFlightMs = inFlightMs;
  }

  get foreign(): number {
    return this.#foreign;
  }

  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    const order = this.#orders.byId(event.order.orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    order.eventBlock ??= event.blockNumber;
    readBack(this.#orders, order, event.order, changes);
    if (event.eventType === "TRIGGER") this.#orders.fired(order, changes);
    if (event.fill !== undefined) this.#orders.book(order, event.fill, changes);
    this.#observe(order, event.order, nowMs, changes);
    return changes;
  }

  fills(fills: readonly Fill[], queriedAtMs: number, nowMs: UnixMs): readonly OrderChange[] {
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
      if (isSurprise && order.phase !== "ended") this.#orders.queries.want(order, nowMs);
    }
    this.#absence.noFills(queriedAtMs, nowMs, changes);
    return changes;
  }

  report(
    orderId: OrderId,
    report: OrderReport | "absent",
    queriedAtMs: number,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
    const order = this.#orders.byId(orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    if (report === "absent") this.#absence.reported(order, queriedAtMs, nowMs, changes);
    else this.#reported(order, report, queriedAtMs, nowMs, changes);
    return changes;
  }

  #reported(
    order: TrackedOrder,
    report: OrderReport,
    queriedAtMs: number,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { queries } = this.#orders;
    const { endedAtMs } = order;
    readBack(this.#orders, order, report, changes);
    this.#observe(order, report, nowMs, changes);
    if (order.phase === "ended") {
      const isLater = endedAtMs !== undefined && queriedAtMs > endedAtMs;
      if (isLater && !isTerminal(report.status)) {
        const text = `the venue ended it as ${order.status} and now shows it as ${report.status}`;
        warn(order, "ORDER_CONTRADICTION", text, changes);
      }
      return queries.clear(order);
    }
    // Pending orders stand in no list of open orders (§4.2), so they are followed by questions.
    const { status } = report;
    const isPending =
      (status === "PENDING_NEW" && !isDormant(order)) || status === "PENDING_CANCEL";
    if (this.#cancelSettled(order, queriedAtMs, changes) && !isPending) queries.clear(order);
    else queries.again(order, nowMs);
  }

  /** What an order that was seen open says of its cancel; false when that is still in question. */
  #cancelSettled(order: TrackedOrder, queriedAtMs: number, changes: OrderChange[]): boolean {
    if (order.cancel === "none" || order.cancel === "in-flight") return true;
    const endedAtMs = order.cancelEndedAtMs;
    if (endedAtMs === undefined || queriedAtMs < endedAtMs) return false;
    if (order.cancel === "accepted") {
      if (queriedAtMs < endedAtMs + this.#inFlightMs) return false;
      warn(order, "CANCEL_WITHOUT_EFFECT", "its cancel was accepted, yet it is open", changes);
    }
    this.#orders.moveCancel(order, "stillOpen");
    return true;
  }

  openOrders(
    reports: readonly OrderReport[],
    queriedAtMs: number,
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
        this.#reported(order, report, queriedAtMs, nowMs, changes);
      } else if (order.endedAtMs !== undefined && queriedAtMs > order.endedAtMs) {
        // Ended by the venue's own word and listed again: only a question by id can tell.
        this.#orders.queries.want(order, nowMs);
      }
    }
    for (const order of this.#orders.live.list()) {
      const { phase, ackedAtMs } = order;
      const shouldBeThere =
        phase === "working" && ackedAtMs !== undefined && ackedAtMs < queriedAtMs;
      // Missing is not ended: it may be pending, or the list older than it looks.
      if (shouldBeThere && !listed.has(order)) this.#orders.queries.want(order, nowMs);
    }
    this.#absence.unlisted(listed, queriedAtMs, nowMs, changes);
    return changes;
  }

  #observe(order: TrackedOrder, said: OrderReport, nowMs: UnixMs, changes: OrderChange[]): void {
    const { status, executedQty: executed } = said;
    const known = order.status;
    const waits = order.leg !== undefined && status === "PENDING_NEW" && order.phase !== "unknown";
    const report = isTerminal(status) ? "over" : waits ? "accepted" : "open";
    if (known !== undefined && isTerminal(known) && report === "over" && known !== status) {
      const text = `the venue ended it as ${known} and now says ${status}`;
      warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    this.#orders.learn(order, report, { status, executed }, nowMs, changes);
  }
}
