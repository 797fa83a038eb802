import { ZERO } from "../domain/fixed.ts";
import type { OrderId } from "../domain/ids.ts";
import { legIdsOf } from "../domain/leg-ids.ts";
import { liveLegs } from "./bracket.ts";
import type { OrderRegistry } from "./order-registry.ts";
import type { RestoredOrder } from "./restored-order.ts";
import type { Bracket } from "./tracked-order.ts";

/** Ties the legs of an earlier run to what they belong to, as far as that is not over. */
export function tieLegs(orders: OrderRegistry, restored: readonly RestoredOrder[]): void {
  for (const { orderId, leg } of restored) {
    if (leg !== undefined) tie(orders, orderId, leg.of);
  }
}

function tie(orders: OrderRegistry, orderId: OrderId, of: OrderId): void {
  const order = orders.byId(orderId);
  if (order === undefined || order.bracket !== undefined) return;
  const ids = legIdsOf(of);
  const bracket: Bracket = {
    working: orders.byId(of),
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
  // Each counts by what it is tied to.
  for (const leg of liveLegs(bracket)) orders.recount(leg);
}
