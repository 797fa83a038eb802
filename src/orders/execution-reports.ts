import { isTerminal, type Fill, type OrderEvent, type OrderReport } from "../domain/order.ts";
import { maxFixed } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Absence } from "./absence.ts";
import { warn, type OrderChange } from "./order-change.ts";
import { relativesCanceled } from "./bracket.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { readBack } from "./read-back.ts";
import {
  isBeforeEndOfPair,
  isDormant,
  isEndDoubtful,
  REOPEN_MS,
  wasGivenUp,
  type TrackedOrder,
} from "./tracked-order.ts";

/** A report over REST, and when its query was sent. */
interface QueriedReport {
  readonly report: OrderReport;
  readonly queriedAtMs: number;
}

/** Applies the venue's reports about orders: events, lists, and responses to queries by id. `OrderTracker` documents the methods. */
export class ExecutionReports {
  readonly #orders: OrderRegistry;
  readonly #absence: Absence;
  readonly #inFlightMs: number;
  readonly #reopens: boolean;
  #foreign = 0;

  /** A request that ended without a response can reach the venue's matching no later than `inFlightMs` after that. */
  constructor(
    orders: OrderRegistry,
    absence: Absence,
    { inFlightMs, reopens }: { readonly inFlightMs: number; readonly reopens: boolean },
  ) {
    this.#orders = orders;
    this.#absence = absence;
    this.#inFlightMs = inFlightMs;
    this.#reopens = reopens;
  }

  get foreign(): number {
    return this.#foreign;
  }

  event(event: OrderEvent, nowMs: UnixMs): readonly OrderChange[] {
    const order = this.#orders.byId(event.order.orderId);
    if (order === undefined) return [];
    const changes: OrderChange[] = [];
    const wasEnded = order.phase === "ended";
    order.eventBlock ??= event.blockNumber;
    readBack(this.#orders, order, event.order, changes);
    if (event.eventType === "TRIGGER") this.#orders.fired(order, changes);
    if (event.fill !== undefined) this.#orders.book(order, event.fill, changes);
    this.#observe(order, event.order, nowMs, changes);
    // An end that nothing else explains is checked by id.
    const isDoubtful = this.#reopens && !wasEnded && isEndDoubtful(order);
    if (isDoubtful) this.#orders.queries.want(order, nowMs + REOPEN_MS);
    return changes;
  }

  fills(
    fills: readonly Fill[],
    queriedAtMs: number | undefined,
    nowMs: UnixMs,
  ): readonly OrderChange[] {
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
    if (queriedAtMs !== undefined) this.#absence.noFills(queriedAtMs, nowMs, changes);
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
    const { endedAtMs } = order;
    readBack(this.#orders, order, report, changes);
    this.#observe(order, report, nowMs, changes);
    if (order.phase === "ended") {
      const isLater = endedAtMs !== undefined && queriedAtMs > endedAtMs;
      if (isLater && !isTerminal(report.status)) {
        const text = `the venue ended it as ${order.status} and now shows it as ${report.status}`;
        warn(order, "ORDER_CONTRADICTION", text, changes);
        if (this.#comesBack(order, { report, queriedAtMs }, nowMs, changes)) return;
      }
      return queries.clear(order);
    }
    this.#settleReturn(order, queriedAtMs, changes);
    // No list of open orders shows pending orders (§4.2), so they are queried by id.
    const { status } = report;
    const isPending =
      (status === "PENDING_NEW" && !isDormant(order)) || status === "PENDING_CANCEL";
    const isOlder = isBeforeEndOfPair(order, queriedAtMs);
    const isSettled = this.#cancelSettled(order, queriedAtMs, changes);
    if (isSettled && !isPending && !isOlder) queries.clear(order);
    else queries.again(order, nowMs);
  }

  /** Whether an order that had ended is open again, or will be queried about it. Within a moment, reports may be older than they look. */
  #comesBack(
    order: TrackedOrder,
    { report, queriedAtMs }: QueriedReport,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): boolean {
    const { endedAtMs } = order;
    if (!this.#reopens || endedAtMs === undefined) return false;
    if (queriedAtMs < endedAtMs + REOPEN_MS) {
      this.#orders.queries.clear(order);
      this.#orders.queries.want(order, Math.max(nowMs + 1, endedAtMs + REOPEN_MS));
      return true;
    }
    // No fill shows the quantity that only its false end told.
    const executed = maxFixed(order.filled, report.executedQty);
    if (!this.#orders.reopen(order, { status: report.status, executed }, changes)) {
      // Its executed quantity forbids that it counts again.
      warn(order, "ORDER_RETURNED", "the venue had executed it in full, and it is open", changes);
      return false;
    }
    this.#orders.queries.clear(order);
    for (const other of relativesCanceled(order)) this.#orders.queries.want(other, nowMs);
    this.#settleReturn(order, queriedAtMs, changes);
    return true;
  }

  /** An order that came back is still open, later than the venue's reports may lag behind its end. */
  #settleReturn(order: TrackedOrder, queriedAtMs: number, changes: OrderChange[]): void {
    const { returnedFromMs, phase } = order;
    if (returnedFromMs === undefined || phase === "ended") return;
    if (queriedAtMs < returnedFromMs + this.#inFlightMs) return;
    order.returnedFromMs = undefined;
    warn(order, "ORDER_RETURNED", "the venue ended it, and it is open", changes);
  }

  /** Settles the newest cancel of an order that was seen open; false when its outcome is still in doubt. */
  #cancelSettled(order: TrackedOrder, queriedAtMs: number, changes: OrderChange[]): boolean {
    if (order.cancel === "none" || order.cancel === "in-flight") return true;
    const endedAtMs = order.cancelEndedAtMs;
    if (endedAtMs === undefined || queriedAtMs < endedAtMs) return false;
    if (order.cancel === "accepted") {
      if (queriedAtMs < endedAtMs + this.#inFlightMs) return false;
      warn(
        order,
        "CANCEL_WITHOUT_EFFECT",
        "its cancel was accepted, but it is still open",
        changes,
      );
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
        this.#reported(order, { report, queriedAtMs }, nowMs, changes);
      } else if (order.endedAtMs !== undefined && queriedAtMs > order.endedAtMs) {
        // The venue ended it and lists it again: only a query by id can tell.
        this.#orders.queries.want(order, nowMs);
      }
    }
    for (const order of this.#orders.live.list()) {
      const { phase, ackedAtMs } = order;
      const shouldBeThere =
        phase === "working" && ackedAtMs !== undefined && ackedAtMs < queriedAtMs;
      // A missing order has not necessarily ended: it may be pending, or the list may be older than it looks.
      const isMissing = (shouldBeThere || awaitsFirstQuery(order)) && !listed.has(order);
      if (isMissing) this.#orders.queries.want(order, nowMs);
    }
    this.#absence.unlisted(listed, queriedAtMs, nowMs, changes);
    return changes;
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
