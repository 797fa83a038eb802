import type { KernelState } from "../state.ts";
import { followOrders } from "./order-changes.ts";

/**
 * A command without an answer for this long makes its order suspect. After a placement it serves no quote and is canceled by its id; after a
 * cancel it is canceled again, which does no harm. Either way it is queried, and a new plan is made.
 */
const ANSWER_MS = 1_000;

/** Makes the orders suspect whose commands have had no answer for too long. The requests go on, and a late answer counts. */
export function suspectOverdue(state: KernelState): void {
  const { orders, nowMs } = state;
  const { unanswered } = state.requests;
  for (const [intent, sentMs] of unanswered) {
    if (nowMs < sentMs + ANSWER_MS) return;
    unanswered.delete(intent);
    followOrders(state, orders.commands.overdue(intent, nowMs));
  }
}

/** When the next command is overdue, our clock; Infinity without any. */
export function nextOverdueMs({ requests }: KernelState): number {
  for (const sentMs of requests.unanswered.values()) return sentMs + ANSWER_MS;
  return Number.POSITIVE_INFINITY;
}
