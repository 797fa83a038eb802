import { Decimal, decimalOf } from "../domain/decimal.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { isLeaving } from "../execution/planner.ts";
import { remainingOf, type TrackedOrder } from "../orders/tracked-order.ts";
import type { OwnLeg, OwnStop } from "../strategy/view.ts";
import type { WantedTpsl } from "../strategy/wanted-tpsl.ts";
import type { StrategyRunner } from "./strategy-runner.ts";
import type { StopRecord } from "./stop-records.ts";
import type { StopWish } from "./wishes.ts";

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

/** Those of the newest wishes first, in their order, then what still leaves. */
export function ownStops({ wishes, stops }: StrategyRunner): readonly OwnStop[] {
  const own: OwnStop[] = [];
  for (const wish of wishes.stops) {
    const record = stops.of(wish.name);
    own.push(
      record.order === undefined || (record.order.phase === "ended" && !record.isOver)
        ? wantedStop(wish, record)
        : ownStop(wish.name, record.order, record),
    );
  }
  for (const [name, record] of stops.entries()) {
    const { order } = record;
    if (order === undefined || order.phase === "ended") continue;
    if (wishes.stops.some((wish) => wish.name === name)) continue;
    own.push(ownStop(name, order, record));
  }
  return own;
}

function wantedStop({ name, side, stopPrice, price, size }: StopWish, record: StopRecord): OwnStop {
  return {
    name,
    id: undefined,
    side,
    stopPrice,
    price: limitOf(price),
    remaining: decimalOf(size),
    executed: new Decimal(0),
    state: "wanted",
    why: record.why,
  };
}

function ownStop(name: string, order: TrackedOrder, { why }: StopRecord): OwnStop {
  return {
    name,
    id: order.intent,
    side: order.side,
    stopPrice: order.trigger?.stopPrice ?? 0,
    price: limitOf(order.price),
    remaining: decimalOf(remainingOf(order)),
    executed: decimalOf(order.executed),
    state: stopState(order),
    why,
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
