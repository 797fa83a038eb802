import { assert } from "../base/assert.ts";
import type {
  CancelCommand,
  CommandOutcome,
  ModifyCommand,
  PlaceCommand,
  StopCommand,
} from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import type { UnixMs } from "../domain/time.ts";
import { liveLegs } from "./bracket.ts";
import { blankOrder, legsOf, stopOrder } from "./new-order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import { cancelReportKindOf, reportKindOf } from "./order-machine.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { isDormant, mayBeModified, type TrackedOrder } from "./tracked-order.ts";

/** The venue is asked this long after it refused a take: it may have taken another copy of the request. */
const REFUSED_TAKE_MS = 1_000;

/** Applies our own commands to our orders: when they are decided, when they are signed, and when their requests end. */
export class OwnCommands {
  readonly #orders: OrderRegistry;

  constructor(orders: OrderRegistry) {
    this.#orders = orders;
  }

  /** A placement was decided: it and its legs are orders from now on, and count as exposure. */
  place(
    command: PlaceCommand | StopCommand,
    nowMs: UnixMs,
    origin: "placed" | "replacement" = "placed",
  ): TrackedOrder {
    assert(command.orderMode === 0, "tracked orders have their quantity in base token");
    const isStop = command.type === "stop";
    const order = isStop ? stopOrder(command, nowMs) : blankOrder(command, origin, nowMs);
    this.#orders.add(order);
    if (!isStop && command.tpsl !== undefined) {
      for (const leg of legsOf(command, command.tpsl, order)) this.#orders.add(leg);
    }
    return order;
  }

  /** A modify was decided: the replacement is an order of its own, and the original counts as being canceled. Both may live. */
  modifyMade(command: ModifyCommand, nowMs: UnixMs, reason = ""): TrackedOrder {
    const original = this.#orders.byId(command.orderId);
    assert(original !== undefined && mayBeModified(original), "an order that may be modified");
    const { newPrice: price, newQty: quantity } = command;
    const order = blankOrder({ ...command, price, quantity }, "modify", nowMs);
    order.replaced = original;
    this.#orders.add(order);
    this.#startCancel(original, command.intent, reason);
    return order;
  }

  /** A command was signed. The hash of a placement is its order's id, and the ids of the legs are derived from it. */
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
  cancelMade(command: CancelCommand, reason = ""): void {
    const order = this.#orders.byId(command.orderId);
    if (order !== undefined) this.#startCancel(order, command.intent, reason);
  }

  #startCancel(order: TrackedOrder, intent: number, reason: string): void {
    order.cancelIntent = intent;
    order.reason = reason;
    // No change follows from it: the kernel made this cancel.
    this.#orders.moveCancel(order, "made", []);
    order.cancelEndedAtMs = undefined;
  }

  /** A command's request ended (D11). */
  responded(intent: number, outcome: CommandOutcome, nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    const placed = this.#orders.byIntent(intent);
    if (placed !== undefined) this.#placeResponded(placed, outcome, nowMs, changes);
    // Only the newest cancel's outcome counts.
    const canceled = this.#orders.canceledBy(intent);
    if (canceled !== undefined) this.#cancelResponded(canceled, outcome, nowMs, changes);
    return changes;
  }

  /** How long the next cancel waits after this one of an order that is still live, ms: longer with each that failed. Undefined for other commands. */
  cancelAgainMs(intent: number): number | undefined {
    const order = this.#orders.canceledBy(intent);
    return order && this.#orders.queries.waitMs(Math.max(1, order.cancelFailures));
  }

  /** A command has had no answer, or a cancel's answer no effect, for so long that its order is suspect. Either may still come. */
  overdue(intent: number, nowMs: UnixMs): readonly OrderChange[] {
    const changes: OrderChange[] = [];
    const placed = this.#orders.byIntent(intent);
    if (placed?.phase === "in-flight") {
      this.#orders.learn(placed, { kind: "noResponse" }, nowMs, changes);
      this.#orders.queries.want(placed, nowMs);
    }
    const canceled = this.#orders.canceledBy(intent);
    if (canceled !== undefined) {
      this.#orders.moveCancel(canceled, "overdue", changes);
      this.#orders.queries.want(canceled, nowMs);
    }
    return changes;
  }

  #placeResponded(
    order: TrackedOrder,
    outcome: CommandOutcome,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const report = reportKindOf(outcome);
    const message = outcome.type === "accepted" ? "" : outcome.message;
    const wasWorking = order.phase === "working";
    const { bracket } = order;
    for (const leg of bracket === undefined ? [] : liveLegs(bracket)) {
      leg.requestEndedAtMs = nowMs;
      // While the request was open, the leg's absence at the venue proved nothing.
      if (leg.phase === "pending" && !isDormant(leg)) {
        this.#orders.queries.wantSoon(leg, nowMs);
      }
    }
    this.#orders.learn(order, { kind: report, message }, nowMs, changes);
    order.requestEndedAtMs = nowMs;
    if (report === "refused" && order.take !== undefined)
      this.#orders.queries.want(order, nowMs + REFUSED_TAKE_MS);
    if (order.phase === "ended") return;
    if (report === "accepted") {
      // A cancel that reached the venue before its order may be made again.
      if (order.cancel === "refused") this.#orders.moveCancel(order, "stillOpen", changes);
      // An event shows the size of a replacement; if none comes, a query does.
      if (order.replaced !== undefined) this.#orders.queries.wantSoon(order, nowMs);
      return;
    }
    if (wasWorking && report !== "noResponse") {
      const text = `the response to its placement was "${message}" after the venue had acknowledged it`;
      warn(order, "ORDER_CONTRADICTION", text, changes);
    }
    this.#orders.queries.wantSoon(order, nowMs);
  }

  #cancelResponded(
    order: TrackedOrder,
    outcome: CommandOutcome,
    nowMs: UnixMs,
    changes: OrderChange[],
  ): void {
    const { queries } = this.#orders;
    const report = cancelReportKindOf(outcome);
    order.cancelEndedAtMs = nowMs;
    this.#orders.moveCancel(order, report, changes);
    if (report === "accepted") {
      // The venue had the order. An event shows its end; if none comes, a query does.
      order.cancelFailures = 0;
      this.#orders.learn(order, { kind: "accepted" }, nowMs, changes);
      queries.wantSoon(order, nowMs);
    } else if (report === "refused") {
      order.cancelFailures += 1;
      // While its own request is open, the order may not be there yet: nothing changes.
      if (order.requestEndedAtMs === undefined) return;
      const failures = order.cancelFailures;
      queries.want(order, nowMs + (failures > 1 ? queries.waitMs(failures - 1) : 0));
    } else if (report === "noResponse") {
      order.cancelFailures += 1;
      queries.want(order, nowMs + queries.waitMs(order.cancelFailures));
    }
  }
}
