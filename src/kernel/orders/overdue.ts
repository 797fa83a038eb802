import type { CommandOutcome } from "../../domain/command.ts";
import { HANGING_MS } from "../../execution/rate-budget.ts";
import { CANCEL_EFFECT_MS } from "../../orders/order-machine.ts";
import type { KernelState } from "../state.ts";
import { venueReached } from "../outage.ts";
import { followOrders } from "./order-changes.ts";

/** A placement without a response for this long puts its order in doubt: it stands for no quote and is canceled by its id. */
const PLACEMENT_MS = 1_000;

/** A command was signed and is about to be sent. */
export function awaitResponse({ requests, orders, nowMs }: KernelState, intent: number): void {
  // A cancel that hangs is sent again, which does no harm.
  const waitMs = orders.byIntent(intent) !== undefined ? PLACEMENT_MS : HANGING_MS;
  requests.awaited.set(intent, nowMs + waitMs);
}

/** A command's request ended. An outcome that is not known is no answer: the order becomes suspect all the same. */
export function noteAnswer(state: KernelState, intent: number, outcome: CommandOutcome): void {
  const { requests, orders, nowMs } = state;
  if (outcome.type === "unknown") return;
  const againMs = orders.commands.cancelAgainMs(intent);
  if (outcome.type === "not-sent" || againMs === undefined) requests.awaited.delete(intent);
  else requests.awaited.set(intent, nowMs + Math.max(CANCEL_EFFECT_MS, againMs));
}

/**
 * Treats commands without a response or an effect for too long: their orders are queried, and a new plan is made. The requests go on, and a late response
 * counts until a newer cancel is made. A request that hangs was sent: no outage holds the others back.
 */
export function markOverdue(state: KernelState): void {
  const { orders, nowMs } = state;
  const { awaited } = state.requests;
  for (const [intent, dueMs] of awaited) {
    if (nowMs < dueMs) continue;
    awaited.delete(intent);
    venueReached(state);
    followOrders(state, orders.commands.overdue(intent, nowMs));
  }
}

/** When the next command is overdue, our clock; Infinity without any. */
export function nextOverdueMs({ requests, operator, nowMs }: KernelState): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const dueMs of operator.foreignCancels.values()) {
    if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs);
  }
  for (const dueMs of requests.awaited.values()) nextMs = Math.min(nextMs, dueMs);
  return nextMs;
}
