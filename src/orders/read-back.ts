import { fixedText, fixedToNumber, subFixed, ZERO } from "../domain/fixed.ts";
import type { OrderReport } from "../domain/order.ts";
import { warn, type OrderChange } from "./order-change.ts";
import type { OrderRegistry } from "./order-registry.ts";
import { checkKind } from "./stop-kind.ts";
import type { TrackedOrder } from "./tracked-order.ts";

/** What the venue says about the size of a leg, or of a replacement (D23); a fill of the original before the modify makes it smaller. */
export function readBack(
  orders: OrderRegistry,
  order: TrackedOrder,
  said: OrderReport,
  changes: OrderChange[],
): void {
  const { replaced, quantity, price } = order;
  // One that waits may be shown without a size yet: nothing to fill would be as good as filled.
  if (order.leg !== undefined && said.origQty > ZERO) orders.resize(order, said.origQty);
  if (said.isTriggered === true) orders.fired(order, changes);
  checkKind(order, said, changes);
  if (replaced === undefined) return;
  const saidPrice = fixedToNumber(said.price);
  const isExpected =
    said.origQty === quantity || said.origQty === subFixed(quantity, replaced.executed);
  orders.readBack(order, saidPrice, said.origQty);
  if (order.phase === "working" && order.cancel === "none") orders.queries.clear(order);
  if (isExpected && saidPrice === price) return;
  const text = `the modify asked for ${fixedText(quantity)} at ${price}, the venue made ${fixedText(said.origQty)} at ${saidPrice} of it`;
  warn(order, "MODIFY_DIFFERS", text, changes);
}
