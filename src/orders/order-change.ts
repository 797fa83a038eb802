import type { Fill } from "../domain/order.ts";
import type { ReportKind } from "./order-machine.ts";
import type { ShownStatus } from "./order-snapshot.ts";
import type { TrackedOrder } from "./tracked-order.ts";

type TrackerWarning =
  /** The venue no longer knows an order that it had acknowledged. */
  | "ORDER_VANISHED"
  /** Two lists and a query by id do not know the order, so it counts as lost. */
  | "ORDER_LOST"
  /** An order that we took for never placed or lost is at the venue. */
  | "ORDER_APPEARED"
  /** The venue contradicts a terminal status that it reported. */
  | "ORDER_CONTRADICTION"
  /** An order that the venue had ended was still open later than any report may lag. */
  | "ORDER_RETURNED"
  /** More was executed than ordered, or a fill cannot belong to the order. */
  | "OVERFILL"
  /** An accepted cancel had no effect. */
  | "CANCEL_WITHOUT_EFFECT"
  /** A modify made a different order than requested. */
  | "MODIFY_DIFFERS"
  /** The market had passed a stop order's price, so the venue made it the other kind of stop. */
  | "STOP_TURNED";

/**
 * One change of our orders, in the sequence in which the changes happened. `order` is the tracker's own object: read it at once or
 * copy it.
 */
export type OrderChange =
  | {
      readonly type: "order";
      readonly order: TrackedOrder;
      readonly status: ShownStatus;
      /** The report that caused the change. */
      readonly report: ReportKind;
      readonly message: string;
    }
  /** No cancel of this live order is under way any more, so that a new plan has to decide about it. */
  | { readonly type: "cancelFailed"; readonly order: TrackedOrder }
  /** A stop order or stop-loss leg fired. */
  | { readonly type: "triggered"; readonly order: TrackedOrder }
  /** An order that had ended is open after all; `tradeIds` are its fills so far. */
  | {
      readonly type: "reopened";
      readonly order: TrackedOrder;
      readonly tradeIds: readonly string[];
    }
  /** A fill; each is yielded once. */
  | { readonly type: "fill"; readonly order: TrackedOrder; readonly fill: Fill }
  /** More was executed than known fills explain: request fills and balances over REST. */
  | { readonly type: "missingFills"; readonly order: TrackedOrder }
  | {
      readonly type: "warning";
      readonly order: TrackedOrder;
      readonly code: TrackerWarning;
      readonly message: string;
    };

export function shownStatus(order: TrackedOrder): ShownStatus {
  if (order.isLost) return "LOST";
  if (order.status !== undefined) return order.status;
  return order.phase === "ended" ? "NEVER_PLACED" : "UNKNOWN";
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
