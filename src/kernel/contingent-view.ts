import { Decimal, decimalOf } from "../domain/decimal.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { isLeaving } from "../execution/planner.ts";
import { remainingOf, type TrackedOrder } from "../orders/tracked-order.ts";
import type { OwnLeg, OwnStop } from "../strategy/view.ts";
import type { WantedTpsl } from "../strategy/wanted-tpsl.ts";
import type { StrategyRunner } from "./strategy-runner.ts";
import type { StopRecord } from "./stop-records.ts";
import type { TargetStop } from "./targets.ts";

/** Stop orders and legs as their strategy sees them. */

export function ownTpsl({ tpLimit, slTrigger, slLimit }: Tpsl): WantedTpsl {
  const both = { takeProfit: tpLimit, stopLoss: slTrigger };
  return slLimit === undefined ? both : { ...both, stopLimit: slLimit };
}

export function ownLegs(orders: readonly TrackedOrder[]): readonly OwnLeg[] {
  const legs: OwnLeg[] = [];
  for (const order of orders) {
    const { leg: kind, intent: id, side, trigger, bracket } = order;
    if (kind === undefined) continue;
    legs.push({
      id,
      entry: bracket?.working?.intent,
      kind,
      side,
      price: limitOf(order.price),
      stopPrice: trigger?.stopPrice,
      remaining: decimalOf(remainingOf(order)),
      executed: decimalOf(order.executed),
      state: legState(order),
    });
  }
  return legs;
}

function legState(order: TrackedOrder): OwnLeg["state"] {
  if (isLeaving(order)) return "leaving";
  if (order.phase === "pending") return "pending";
  if (order.phase !== "working") return "sent";
  return order.trigger?.isFired === false ? "waiting" : "working";
}

/** The stops of the newest targets first, in their order, then those that are still being canceled. */
export function ownStops({ targets, stops }: StrategyRunner): readonly OwnStop[] {
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
  record: StopRecord,
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
    why: record.reason,
  };
}

function ownStop(name: string, order: TrackedOrder, { reason }: StopRecord): OwnStop {
  return {
    name,
    id: order.intent,
    side: order.side,
    stopPrice: order.trigger?.stopPrice ?? 0,
    price: limitOf(order.price),
    remaining: decimalOf(remainingOf(order)),
    executed: decimalOf(order.executed),
    state: stopState(order),
    reason,
    why: reason,
  };
}

function stopState(order: TrackedOrder): OwnStop["state"] {
  if (order.phase === "ended") return "over";
  if (isLeaving(order)) return "leaving";
  if (order.trigger?.isFired === true) return "triggered";
  return order.phase === "working" ? "waiting" : "sent";
}

/** 0 stands for a market order. */
function limitOf(price: number): number | undefined {
  return price > 0 ? price : undefined;
}
