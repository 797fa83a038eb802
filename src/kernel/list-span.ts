import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { Read } from "./effect.ts";
import type { KernelState } from "./state.ts";

const DAY_MS = 86_400_000;
/** Up to this age an order stands in the list of open orders without a window (D15: 30 days), with room for clocks. */
const DEFAULT_REACH_MS = 29 * DAY_MS;
/** Venue clocks differ a little, and lists are asked a little early rather than late. */
const LIST_MARGIN_MS = 60_000;

/** About when an order came to be, by the venue's clock. */
function bornAtMs(order: TrackedOrder, venueOffsetMs: number): number {
  // A time nonce is the venue's time, and that of an order of an earlier run is all that tells its age.
  return Math.min(order.madeAtMs + venueOffsetMs, order.nonce > 0 ? order.nonce : Infinity);
}

/** The question for the open orders, back to the oldest of ours: one that rests for months is to be found, too. */
export function openOrdersRead(state: KernelState): Read {
  const offsetMs = state.venueOffsetMs ?? 0;
  const reachMs = state.nowMs + offsetMs - DEFAULT_REACH_MS;
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const order of state.orders.live()) {
    oldestMs = Math.min(oldestMs, bornAtMs(order, offsetMs));
  }
  if (oldestMs > reachMs) return { type: "openOrders" };
  return { type: "openOrders", sinceMs: oldestMs - LIST_MARGIN_MS };
}

/**
 * Own fills since the newest one we know, or since the oldest order whose fills are not all known; by the venue's clock. What a
 * list has shown is not asked for again, unless fills are missing for certain: one quote may rest for months.
 */
export function wantFills(state: KernelState): void {
  const offsetMs = state.venueOffsetMs ?? 0;
  let sinceMs = state.lastFillMs === 0 ? state.nowMs + offsetMs : state.lastFillMs;
  for (const order of state.orders.live()) {
    const listedMs = (state.fillsQueriedMs ?? Number.NEGATIVE_INFINITY) + offsetMs;
    sinceMs = Math.min(sinceMs, Math.max(bornAtMs(order, offsetMs), listedMs));
  }
  for (const order of state.orders.missingFills()) {
    sinceMs = Math.min(sinceMs, bornAtMs(order, offsetMs));
  }
  sinceMs = Math.max(0, sinceMs - LIST_MARGIN_MS);
  state.reads.want({ type: "fills", sinceMs }, state.nowMs, { again: true });
  // Fills from a list carry no block, so they move no balance: ask for that too.
  state.reads.want({ type: "balances" }, state.nowMs, { again: true });
}
