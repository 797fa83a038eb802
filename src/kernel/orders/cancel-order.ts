import type { CancelCommand } from "../../domain/command.ts";
import type { OrderId } from "../../domain/ids.ts";
import { isLeaving, type TrackedOrder } from "../../orders/tracked-order.ts";
import { countAttempt, openAgainMs } from "../outage.ts";
import type { KernelState } from "../state.ts";

/**
 * A cancel of an order that is not being canceled already; undefined when there is nothing to send or no token for it. `place`: it has
 * the rights of a placement, since it only makes way for one.
 */
export function cancelOrder(
  state: KernelState,
  order: TrackedOrder,
  reason: string,
  kind: "cancel" | "place" = "cancel",
): CancelCommand | undefined {
  if (order.orderId === undefined || order.phase === "ended" || isLeaving(order)) return undefined;
  const command = cancelCommand(state, order.strategy, order.orderId, kind);
  if (command === undefined) return undefined;
  state.orders.commands.cancelMade(command, reason);
  return command;
}

export function cancelCommand(
  state: KernelState,
  strategy: string,
  orderId: OrderId,
  kind: "cancel" | "place" = "cancel",
): CancelCommand | undefined {
  const numbers = takeNumbers(state, kind);
  if (numbers === undefined) return undefined;
  const { intent, nonce } = numbers;
  return { type: "cancel", intent, nonce, strategy, orderId };
}

/**
 * The next intent and a nonce for a command that gets a rate token; undefined while there is none. Without a reading of the venue's clock
 * there is no nonce, but for a cancel by what an earlier run read: at worst the venue refuses it.
 */
export function takeNumbers(
  state: KernelState,
  kind: "cancel" | "place",
): Pick<CancelCommand, "intent" | "nonce"> | undefined {
  const { nonces, budget, nowMs, pastOffsetMs } = state;
  const offsetMs = state.venueOffsetMs ?? (kind === "cancel" ? pastOffsetMs : undefined);
  if (offsetMs === undefined) return undefined;
  const openMs = openAgainMs(state);
  if (openMs <= nowMs && budget.tryTake(kind, nowMs)) {
    countAttempt(state);
    state.lastIntent += 1;
    state.requests.open.set(state.lastIntent, { kind, atMs: nowMs });
    return { intent: state.lastIntent, nonce: nonces.next(nowMs, offsetMs) };
  }
  const blockedMs = Math.max(openMs, budget.nextFreeMs(kind, nowMs));
  state.step.blockedUntilMs = Math.min(state.step.blockedUntilMs ?? blockedMs, blockedMs);
  return undefined;
}

export const WAITS_FOR_BUDGET = "waiting for the rate budget";

/** Why a placement cannot be sent yet, as text for people. */
export function heldBackReason({ outage }: KernelState): string {
  return outage.failures > 0 ? "waiting for a connection to the venue" : WAITS_FOR_BUDGET;
}
