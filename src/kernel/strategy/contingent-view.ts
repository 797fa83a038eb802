import { Decimal, decimalOf } from "../../domain/decimal.ts";
import { maxFixed, subFixed, ZERO } from "../../domain/fixed.ts";
import type { Tpsl } from "../../domain/tpsl.ts";
import type { OrderSnapshot } from "../../orders/order-snapshot.ts";
import { snapshotOf } from "../../orders/snapshot-of.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { OwnLeg, OwnStop } from "../../strategy/view.ts";
import type { WantedTpsl } from "../../strategy/wanted-tpsl.ts";
import type { StrategySlot } from "./strategy-slot.ts";
import type { NamedOrder } from "../named-orders.ts";
import type { TargetStop } from "../targets.ts";

/** Stop orders and legs as their strategy sees them. */

export function ownTpsl({ tpLimit, slTrigger, slLimit }: Tpsl): WantedTpsl {
  const both = { takeProfit: tpLimit, stopLoss: slTrigger };
  return slLimit === undefined ? both : { ...both, stopLimit: slLimit };
}

export function ownLegs(orders: readonly TrackedOrder[]): readonly OwnLeg[] {
  const legs: OwnLeg[] = [];
  for (const order of orders) {
    const { role, intent, entry, side, price, stopPrice, remaining, executed, ...leg } =
      snapshotOf(order);
    if (role !== "takeProfit" && role !== "stopLoss") continue;
    legs.push({
      id: intent,
      entry,
      kind: role,
      side,
      price: limitOf(price),
      stopPrice,
      remaining: decimalOf(remaining),
      executed: decimalOf(executed),
      state: legState(leg),
    });
  }
  return legs;
}

function legState({
  state,
  waitsForTrigger,
}: Pick<OrderSnapshot, "state" | "waitsForTrigger">): OwnLeg["state"] {
  if (state === "canceling") return "leaving";
  if (state === "pending") return "pending";
  if (state !== "working") return "sent";
  return waitsForTrigger ? "waiting" : "working";
}

/** The stops of the newest targets first, in their order, then those that are still being canceled. */
export function ownStops({ targets, stops }: StrategySlot): readonly OwnStop[] {
  const own: OwnStop[] = [];
  for (const target of targets.stops) {
    const record = stops.of(target.name);
    own.push(
      record.order === undefined || (record.order.phase === "ended" && !record.isOver)
        ? wantedStop(target, record)
        : ownStop(target.name, record.order, record),
    );
  }
  for (const [name, record] of stops.entries()) {
    const { order } = record;
    if (order === undefined || order.phase === "ended") continue;
    if (targets.stops.some((target) => target.name === name)) continue;
    own.push(ownStop(name, order, record));
  }
  return own;
}

function wantedStop(
  { name, side, stopPrice, price, size }: TargetStop,
  record: NamedOrder,
): OwnStop {
  return {
    name,
    id: undefined,
    side,
    stopPrice,
    price: limitOf(price),
    remaining: decimalOf(size),
    executed: new Decimal(0),
    state: "wanted",
    reason: record.reason,
  };
}

function ownStop(name: string, tracked: TrackedOrder, { reason }: NamedOrder): OwnStop {
  const order = snapshotOf(tracked);
  return {
    name,
    id: order.intent,
    side: order.side,
    stopPrice: order.stopPrice ?? 0,
    price: limitOf(order.price),
    // Of a stop order that has ended: the part that was not filled.
    remaining: decimalOf(maxFixed(ZERO, subFixed(order.quantity, order.executed))),
    executed: decimalOf(order.executed),
    state: stopState(order),
    reason,
  };
}

function stopState({ state, isTriggered }: OrderSnapshot): OwnStop["state"] {
  if (state === "ended") return "over";
  if (state === "canceling") return "leaving";
  if (isTriggered) return "triggered";
  return state === "working" ? "waiting" : "sent";
}

/** Undefined for a market order, whose price is 0. */
function limitOf(price: number): number | undefined {
  return price > 0 ? price : undefined;
}
