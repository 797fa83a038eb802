import { fixed, ZERO } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { isTimeNonce } from "../domain/time-nonce.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import { liveLegs } from "./bracket.ts";
import { blankOrder, triggerAt } from "./new-order.ts";
import type { OrderRegistry } from "./order-registry.ts";
import type { RestoredOrder } from "./restored-order.ts";
import type { TrackedBracket, TrackedOrder } from "./tracked-order.ts";

/**
 * Adds the open orders of an earlier run as unknown exposure. Their intents are negative and count down from `lastIntent`, the lowest one used
 * so far. Returns the orders that were added.
 */
export function restoreOrders(
  orders: OrderRegistry,
  restored: readonly RestoredOrder[],
  lastIntent: number,
  nowMs: UnixMs,
): readonly TrackedOrder[] {
  const taken: TrackedOrder[] = [];
  for (const saved of restored) {
    if (orders.byId(saved.orderId) !== undefined) continue;
    const order = restoredOrder(saved, lastIntent - taken.length - 1, nowMs);
    orders.add(order, saved.tradeIds);
    taken.push(order);
  }
  linkLegs(orders, restored);
  return taken;
}

/** An order of an earlier run: its request has ended, its state is unknown. A time nonce tells about when it was made. */
function restoredOrder(saved: RestoredOrder, intent: number, nowMs: UnixMs): TrackedOrder {
  const madeAtMs = isTimeNonce(saved.nonce) ? unixMs(saved.nonce) : nowMs;
  const { tpsl, leg, stop } = saved;
  const stopPrice = stop?.stopPrice ?? leg?.stopPrice;
  const order = blankOrder(
    {
      ...saved,
      intent,
      quantity: fixed(saved.quantity),
      tpsl,
      leg: leg?.kind,
      stopName: stop?.name,
      trigger:
        stopPrice === undefined ? undefined : triggerAt(stopPrice, stop?.kind ?? "stop-loss"),
    },
    "adopted",
    madeAtMs,
  );
  order.orderId = saved.orderId;
  order.executed = fixed(saved.executed);
  order.filled = order.executed;
  order.phase = "unknown";
  order.requestEndedAtMs = nowMs;
  // The venue had acknowledged it.
  if (order.executed > ZERO) order.ackedAtMs = nowMs;
  return order;
}

/** Links the legs of an earlier run to their quotes and pairs, if those are still open. */
function linkLegs(orders: OrderRegistry, restored: readonly RestoredOrder[]): void {
  for (const { orderId, leg } of restored) {
    if (leg !== undefined) linkLeg(orders, orderId, leg.of);
  }
}

function linkLeg(orders: OrderRegistry, orderId: OrderId, quoteId: OrderId): void {
  const order = orders.byId(orderId);
  if (order === undefined || order.bracket !== undefined) return;
  const ids = legIdsOf(quoteId);
  const bracket: TrackedBracket = {
    working: orders.byId(quoteId),
    takeProfit: orders.byId(ids.takeProfit),
    stopLoss: orders.byId(ids.stopLoss),
  };
  for (const one of [bracket.working, bracket.takeProfit, bracket.stopLoss]) {
    if (one === undefined) continue;
    one.bracket = bracket;
    if (one.leg !== undefined && bracket.working !== undefined && one.executed === ZERO) {
      one.phase = "pending";
    }
  }
  // A leg's sums depend on the orders that it is linked to.
  for (const leg of liveLegs(bracket)) orders.recount(leg);
}
