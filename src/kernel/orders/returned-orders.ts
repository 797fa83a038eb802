import { fixedText } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import { mainIdOf } from "../../domain/leg-ids.ts";
import type { LegKind } from "../../orders/order-snapshot.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { slotOf } from "../slots.ts";
import type { KernelState } from "../state.ts";

/**
 * The venue shows an order open that had ended. It counts in every limit again, and the journal, which forgot it at its end, gets
 * it anew (effect `adopt`). Its quote may have another order by now, so the plan is made anew.
 */
export function orderReopened(
  state: KernelState,
  order: TrackedOrder,
  tradeIds: readonly string[],
): void {
  const { orderId, nonce, strategy, marketId, side, price, quantity, filled, tpsl, take } = order;
  // The final list was read before this order came back.
  state.ending.finalList = undefined;
  const slot = slotOf(state, order);
  if (slot !== undefined) slot.needsPlan = true;
  if (orderId === undefined) return;
  const { stopName: name, trigger, leg: kind } = order;
  const stop =
    name === undefined || trigger === undefined
      ? {}
      : { stop: { name, kind: trigger.kind, stopPrice: trigger.stopPrice } };
  const leg =
    kind === undefined
      ? {}
      : { leg: { of: quoteIdOf(orderId, kind), kind, stopPrice: trigger?.stopPrice } };
  const restored = {
    orderId,
    nonce,
    strategy,
    marketId,
    side,
    price,
    tradeIds,
    ...stop,
    ...leg,
    quantity: fixedText(quantity),
    executed: fixedText(filled),
    ...(tpsl === undefined ? {} : { tpsl }),
    ...(take === undefined ? {} : { take }),
  };
  state.step.adopted.push(restored);
}

function quoteIdOf(orderId: OrderId, kind: LegKind): OrderId {
  return mainIdOf(orderId, kind === "takeProfit" ? "TP_LEG" : "SL_LEG");
}
