import type { KernelState } from "../state.ts";
import { followOrders } from "./order-changes.ts";

/** A placement without an answer for this long makes its order suspect: it serves no quote and is canceled by its id. */
const PLACEMENT_MS = 1_000;
/** A cancel without an answer for this long is sent again, which does no harm. */
const CANCEL_MS = 600;

/** A command was signed and is about to be sent. */
export function awaitAnswer({ requests, orders, nowMs }: KernelState, intent: number): void {
  const waitMs = orders.commands.makes(intent) ? PLACEMENT_MS : CANCEL_MS;
  requests.unanswered.set(intent, nowMs + waitMs);
}

/**
 * Makes the orders suspect whose commands have had no answer for too long: they are queried, and a new plan is made. The requests go on,
 * and a late answer counts.
 */
export function suspectOverdue(state: KernelState): void {
  const { orders, nowMs } = state;
  const { unanswered } = state.requests;
  for (const [intent, dueMs] of unanswered) {
    if (nowMs < dueMs) continue;
    unanswered.delete(intent);
    followOrders(state, orders.commands.overdue(intent, nowMs));
  }
}

/** When the next command is overdue, our clock; Infinity without any. */
export function nextOverdueMs({ requests }: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const dueMs of requests.unanswered.values()) nextMs = Math.min(nextMs, dueMs);
  return nextMs;
}
