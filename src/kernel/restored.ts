import type { TrackedOrder } from "../orders/tracked-order.ts";
import { restoreCarried } from "./carried.ts";
import type { Restored } from "./input.ts";
import { warnOfOrphans } from "./orders/orphans.ts";
import { slotOf } from "./slots.ts";
import type { KernelState } from "./state.ts";

/** The first list of open orders, which settles most orders of an earlier run, is awaited for this long. */
const FIRST_LIST_MS = 3_000;

/** Continues with what earlier runs left in the journal. */
export function onRestored(state: KernelState, restored: Restored): void {
  state.nonces.observe(restored.nonceHighWater);
  state.lost = restored.lost;
  state.pastOffsetMs = restored.lastEntry?.offsetMs;
  adopt(state, state.orders.restore(restored.orders, state.nowMs, FIRST_LIST_MS));
  restoreCarried(state, restored.carried);
}

/** Stop orders and takes of an earlier run keep their names. Orders that belong to no slot any more are canceled. */
function adopt(state: KernelState, orders: readonly TrackedOrder[]): void {
  for (const order of orders) {
    const slot = slotOf(state, order);
    slot?.stops.track(order);
    slot?.takes.track(order);
  }
  warnOfOrphans(state, orders);
}
