import type { Fixed } from "../domain/fixed.ts";
import type { Fill } from "../domain/order.ts";
import type { ReportKind } from "./order-machine.ts";
import type { ShownStatus } from "./order-snapshot.ts";
import type { TrackedOrder } from "./tracked-order.ts";

export type TrackerWarning =
  /** The venue has no order that it had acknowledged. */
  | "ORDER_VANISHED"
  /** It knew nothing of it for so long, whichever way it was asked, that the order counts no more. */
  | "ORDER_LOST"
  /** An order that we held for never placed, or for lost, is at the venue. */
  | "ORDER_APPEARED"
  /** The venue contradicts its own terminal word. */
  | "ORDER_CONTRADICTION"
  /** More executed than was ordered, or a fill that cannot belong to it. */
  | "OVERFILL"
  /** An accepted cancel had no effect. */
  | "CANCEL_WITHOUT_EFFECT"
  /** A modify made another order than it asked for. */
  | "MODIFY_DIFFERS"
  /** The market had passed a stop order's price: the venue took it for the other kind. */
  | "STOP_TURNED";

/**
 * One consequence of something that happened to our orders, as data, in the order in which it came about. `order` is the
 * tracker's own object: read it at once or copy it.
 */
export type OrderChange =
  | {
      readonly type: "order";
      readonly order: TrackedOrder;
      readonly status: ShownStatus;
      /** What was learned; `refused` at a placement is one for `ordersRejected`. */
      readonly report: ReportKind;
      readonly message: string;
    }
  /** A stop order or stop-loss leg fired. */
  | { readonly type: "triggered"; readonly order: TrackedOrder }
  /** A fill that was never yielded before. */
  | { readonly type: "fill"; readonly order: TrackedOrder; readonly fill: Fill }
  /** More was executed than known fills explain: ask REST for fills (and balances). */
  | { readonly type: "missingFills"; readonly order: TrackedOrder; readonly quantity: Fixed }
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
