import { addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { OrderRecord } from "../exchange/records.ts";

/** The fewest quotes that these orders of one side can serve: beside a partly filled order a second one may have the rest. */
export function fewestQuotes(orders: readonly Pick<OrderRecord, "executedQty">[]): number {
  const untouched = orders.filter(({ executedQty }) => executedQty === ZERO).length;
  return Math.max(untouched, Math.ceil(orders.length / 2));
}

/** What may still fill of these orders, base token. */
export function openQuantity(
  orders: readonly Pick<OrderRecord, "origQty" | "executedQty">[],
): Fixed {
  return orders.reduce(
    (sum, { origQty, executedQty }) => addFixed(sum, subFixed(origQty, executedQty)),
    ZERO,
  );
}
