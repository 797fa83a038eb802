import type { OrderReport } from "../domain/order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** Warns when the venue made a stop order the other kind, which it decides by the price at admission (D24). */
export function checkKind(
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
