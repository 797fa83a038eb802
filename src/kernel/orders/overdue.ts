import type { KernelState } from "../state.ts";
import { followOrders } from "./order-changes.ts";

/** A placement without an answer for this long makes its order suspect: it is queried, serves no quote, and is canceled by its id. */
const PLACEMENT_MS = 1_000;
/** A cancel without an answer for this long is sent again, and a new plan is made. Canceling twice does no harm. */
const CANCEL_MS = 1_500;

/** Makes the orders suspect whose commands have had no answer for too long. The requests go on, and a late answer counts. */
export function suspectOverdue(state: KernelState): void {
  const { orders, nowMs } = state;
  const { unanswered } = state.requests;
  if (unanswered.size === 0) return;
  for (const [intent, sentMs] of unanswered) {
    if (nowMs < sentMs + limitMs(state, intent)) continue;
    unanswered.delete(intent);
    followOrders(state, orders.commands.overdue(intent, nowMs));
  }
}

/** When the next command is overdue, our clock; Infinity without any. */
export function nextOverdueMs(state: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const [intent, sentMs] of state.requests.unanswered) {
    nextMs = Math.min(nextMs, sentMs + limitMs(state, intent));
  }
  return nextMs;
}

function limitMs({ orders }: KernelState, intent: number): number {
  return orders.byIntent(intent) === undefined ? CANCEL_MS : PLACEMENT_MS;
}
