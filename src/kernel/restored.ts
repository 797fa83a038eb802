import type { RestoredOrder } from "../orders/restored-order.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import { restoreCarried } from "./carried.ts";
import { awaitFills } from "./doubts/awaited-fills.ts";
import type { Restored } from "./input.ts";
import { warnOfOrphans } from "./orders/orphans.ts";
import { slotOf } from "./slots.ts";
import type { KernelState } from "./state.ts";
import { likelyOffsets } from "./venue-clock.ts";

/** The first list of open orders, which settles most orders of an earlier run, is awaited for this long. */
const FIRST_LIST_MS = 3_000;

/** Continues with what earlier runs left in the journal. */
export function onRestored(state: KernelState, restored: Restored): void {
  state.nonces.observe(restored.nonceHighWater);
  for (const { nonce } of restored.orders) state.nonces.observeUsed(nonce);
  state.likelyOffsetsMs = likelyOffsets(state, restored);
  state.lostTails = restored.lostTails ?? [];
  adopt(state, state.orders.restore(restored.orders, state.nowMs, FIRST_LIST_MS));
  awaitRestoredFills(state, restored.orders);
  state.orders.rememberGivenUp(restored.givenUp ?? [], state.nowMs);
  restoreCarried(state, restored.carried ?? []);
}

/** Stop orders of an earlier run keep their names. Orders that belong to no slot any more are canceled. */
function adopt(state: KernelState, orders: readonly TrackedOrder[]): void {
  for (const order of orders) slotOf(state, order)?.runner.stops.track(order);
  warnOfOrphans(state, orders);
}

/** Reads the fills that the earlier run doubted, in case it ended before their list came. */
function awaitRestoredFills(state: KernelState, restored: readonly RestoredOrder[]): void {
  for (const { orderId, awaitsFills } of restored) {
    const order = awaitsFills === true ? state.orders.byId(orderId) : undefined;
    if (order !== undefined) awaitFills(state, order);
  }
}
