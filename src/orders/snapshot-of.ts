import { ZERO } from "../domain/fixed.ts";
import { roleOf } from "./bracket.ts";
import { shownStatus } from "./order-change.ts";
import type { OrderSnapshot, OrderState } from "./order-snapshot.ts";
import {
  isLeaving,
  isRejected,
  remainingOf,
  restsInBook,
  type TrackedOrder,
} from "./tracked-order.ts";

/** The order's current snapshot: the same object until the order changes. */
export function snapshotOf(order: TrackedOrder): OrderSnapshot {
  order.snapshot ??= takeSnapshot(order);
  return order.snapshot;
}

/** A new snapshot, without the cache. */
export function takeSnapshot(order: TrackedOrder): OrderSnapshot {
  const { trigger, phase } = order;
  const isEnded = phase === "ended";
  const isTriggered = trigger?.isFired === true;
  const status = shownStatus(order);
  return {
    intent: order.intent,
    orderId: order.orderId,
    strategy: order.strategy,
    marketId: order.marketId,
    role: roleOf(order),
    origin: order.origin,
    key: order.key,
    entry: order.leg === undefined ? undefined : order.bracket?.working?.intent,
    side: order.side,
    price: order.price,
    stopPrice: trigger?.stopPrice,
    tpsl: order.tpsl,
    quantity: order.quantity,
    executed: order.executed,
    remaining: isEnded ? ZERO : remainingOf(order),
    phase,
    state: stateOf(order),
    status,
    isResting: restsInBook(order),
    waitsForTrigger: trigger !== undefined && !isTriggered && !isEnded,
    isTriggered,
    wasCanceled: order.cancelIntent !== 0,
    isRejected: isRejected(order),
    reason: order.reason,
    nonce: order.nonce,
    madeAtMs: order.madeAtMs,
  };
}

function stateOf(order: TrackedOrder): OrderState {
  const { phase } = order;
  if (phase === "ended") return "ended";
  if (isLeaving(order)) return "canceling";
  return phase === "in-flight" ? "sent" : phase;
}
