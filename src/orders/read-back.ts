import { fixedText, fixedToNumber, subFixed, ZERO } from "../domain/fixed.ts";
import type { OrderReport } from "../domain/order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { OrderRegistry } from "./order-registry.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/**
 * Applies the venue's size of a leg or of a replacement (D23). A fill of the original before the modify makes a replacement smaller; of an
 * order of an earlier run nobody knows whether it is one.
 */
export function readBack(
  orders: OrderRegistry,
  order: TrackedOrder,
  report: OrderReport,
  changes: OrderChange[],
): void {
  const { replaced, quantity, price } = order;
  // A dormant leg may be shown without a size yet. Size 0 would make it look filled.
  if (order.leg !== undefined && report.origQty > ZERO) orders.resize(order, report.origQty);
  if (report.isTriggered === true) orders.fired(order, changes);
  checkKind(order, report, changes);
  const isFirst = order.origin === "adopted" && order.status === undefined;
  if (isFirst && report.origQty > ZERO && report.origQty < quantity) {
    orders.readBack(order, price, report.origQty);
  }
  if (replaced === undefined) return;
  const reportedPrice = fixedToNumber(report.price);
  const isExpected =
    report.origQty === quantity || report.origQty === subFixed(quantity, replaced.executed);
  orders.readBack(order, reportedPrice, report.origQty);
  if (order.phase === "working" && order.cancel === "none") orders.queries.clear(order);
  if (isExpected && reportedPrice === price) return;
  const text = `the modify requested ${fixedText(quantity)} at ${price}, but the venue made it ${fixedText(report.origQty)} at ${reportedPrice}`;
  warn(order, "MODIFY_DIFFERS", text, changes);
}

/** Warns when the venue made a stop order the other kind, which it decides by the price at admission (D24). */
function checkKind(
  order: TrackedOrder,
  { orderType }: Pick<OrderReport, "orderType">,
  changes: OrderChange[],
): void {
  const { trigger, stopName } = order;
  if (trigger === undefined || stopName === undefined || trigger.isTurned) return;
  const isLoss = orderType === "STOP_LOSS_LIMIT" || orderType === "STOP_LOSS_MARKET";
  const isProfit = orderType === "TAKE_PROFIT_LIMIT" || orderType === "TAKE_PROFIT_MARKET";
  if (!(trigger.kind === "stop-loss" ? isProfit : isLoss)) return;
  trigger.isTurned = true;
  const text = `the market had passed its stop price ${trigger.stopPrice}, so the venue made the ${trigger.kind} "${stopName}" a ${orderType}`;
  warn(order, "STOP_TURNED", text, changes);
}
