import type { OrderReport } from "../domain/order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** Whether a stop order fires where it was meant to: the venue judges it by the price at its admission (D24). */
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
  const text = `the market had passed its stop price ${trigger.stopPrice}, so the venue made a ${orderType} of the ${trigger.kind} "${stopName}"`;
  warn(order, "STOP_TURNED", text, changes);
}
