import { DAY_MS } from "../domain/time.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { Read } from "./effect.ts";
import { type KernelState, venueNowMs } from "./state.ts";

/** The list of open orders without a window shows orders up to this age (D15: 30 days), with a margin for clocks. */
const DEFAULT_REACH_MS = 29 * DAY_MS;
/** While orders of ours may be open that no list has shown yet, open orders are listed this often. */
export const LIST_AGAIN_MS = 1_000;

/** Lists start this much earlier, since the venue's clocks may differ a little. */
export const LIST_MARGIN_MS = 60_000;

/** Most fills of one order that are booked: far more than a quote, a stop order or a leg has of a venue that is honest. */
export const FILLS_PER_ORDER_MAX = 10_000;

/** Approximate time at which an order was placed, by the venue's clock. */
function placedAtMs(order: TrackedOrder, venueOffsetMs: number): number {
  // A time nonce is the venue's time. For an order of an earlier run it is the only sign of its age.
  return Math.min(order.madeAtMs + venueOffsetMs, order.nonce > 0 ? order.nonce : Infinity);
}

/** The read of open orders, back to the oldest of ours, so that it finds orders that rest for months. */
export function openOrdersRead(state: KernelState): Read {
  const offsetMs = state.venueOffsetMs ?? 0;
  const reachMs = venueNowMs(state) - DEFAULT_REACH_MS;
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const order of state.orders.live()) {
    oldestMs = Math.min(oldestMs, placedAtMs(order, offsetMs));
  }
  if (oldestMs > reachMs) return { type: "openOrders" };
  return { type: "openOrders", sinceMs: oldestMs - LIST_MARGIN_MS };
}

/** Since when the fills of an order have been in no list, by the venue's clock. */
function unlistedSinceMs({ lists, venueOffsetMs = 0 }: KernelState, order: TrackedOrder): number {
  const listedMs = (lists.fillsQueriedMs ?? Number.NEGATIVE_INFINITY) + venueOffsetMs;
  return Math.max(placedAtMs(order, venueOffsetMs), listedMs);
}

/** The orders with missing fills that a list can still add: one that has as many as are booked gets no more. */
export function fillsToList({ orders }: KernelState): readonly TrackedOrder[] {
  const missing = orders.missingFills();
  if (missing.length === 0) return missing;
  return missing.filter(
    ({ orderId }) => orderId === undefined || orders.bookedTrades(orderId) < FILLS_PER_ORDER_MAX,
  );
}

/**
 * The read of own fills since the newest known one, or since the oldest order whose fills are not all known, by the venue's clock. The
 * span of an earlier list is not requested again, unless fills are certainly missing: one quote may rest for months.
 */
export function fillsRead(state: KernelState): Read {
  const offsetMs = state.venueOffsetMs ?? 0;
  let sinceMs = state.lists.lastFillMs === 0 ? venueNowMs(state) : state.lists.lastFillMs;
  for (const order of state.orders.live()) {
    sinceMs = Math.min(sinceMs, unlistedSinceMs(state, order));
  }
  for (const order of fillsToList(state)) {
    sinceMs = Math.min(sinceMs, placedAtMs(order, offsetMs));
  }
  sinceMs = Math.min(sinceMs, state.ledger?.openSinceMs ?? sinceMs);
  return { type: "fills", sinceMs: Math.max(0, sinceMs - LIST_MARGIN_MS) };
}

/** Requests own fills, and the balances: fills from a list carry no block, so they cannot update these. */
export function wantFills(state: KernelState): void {
  state.reads.want(fillsRead(state), state.nowMs, { again: true });
  state.reads.want({ type: "balances" }, state.nowMs, { again: true });
}
