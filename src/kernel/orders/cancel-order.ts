import type { CancelCommand } from "../../domain/command.ts";
import type { OrderId } from "../../domain/ids.ts";
import type { NonceOrder } from "../../execution/nonce.ts";
import { isLeaving, type TrackedOrder } from "../../orders/tracked-order.ts";
import { countAttempt, openAgainMs } from "../channels/outage.ts";
import type { KernelState } from "../state.ts";
import { cancelOffsetMs, CLOCK_BACK_MS } from "../venue-clock.ts";

/** A cancel of an order that is not being canceled already; undefined when there is nothing to send or no token for it. */
export function cancelOrder(
  state: KernelState,
  order: TrackedOrder,
  reason: string,
): CancelCommand | undefined {
  if (order.orderId === undefined || order.phase === "ended" || isLeaving(order)) return undefined;
  const command = cancelCommand(state, order.strategy, order.orderId);
  if (command === undefined) return undefined;
  state.orders.cancelMade(command, reason);
  return command;
}

export function cancelCommand(
  state: KernelState,
  strategy: string,
  orderId: OrderId,
  order?: NonceOrder,
): CancelCommand | undefined {
  const nonce = takeNonce(state, "cancel", order);
  if (nonce === undefined) return undefined;
  state.lastIntent += 1;
  return { type: "cancel", intent: state.lastIntent, nonce, strategy, orderId };
}

/** A nonce and a rate token for the command with the next intent, or neither. */
export function takeNonce(
  state: KernelState,
  kind: "cancel" | "place",
  order: NonceOrder = kind === "cancel" ? state.cancelNonces : "unused",
): number | undefined {
  const { nonces, budget, nowMs } = state;
  const venueOffsetMs = kind === "cancel" ? cancelOffsetMs(state) : state.venueOffsetMs;
  if (venueOffsetMs === undefined) return undefined;
  const freeMs = Math.max(nonces.nextFreeMs(nowMs, venueOffsetMs, order), openAgainMs(state));
  if (freeMs <= nowMs && budget.tryTake(kind, nowMs)) {
    countAttempt(state);
    state.takenMs.set(state.lastIntent + 1, nowMs);
    return nonces.tryNext(nowMs, venueOffsetMs, order);
  }
  const blockedMs = Math.max(freeMs, budget.nextFreeMs(kind, nowMs));
  state.blockedUntilMs = Math.min(state.blockedUntilMs, blockedMs);
  return undefined;
}

/** Why a placement cannot be sent yet, as text for people. */
export function nonceBlockReason(state: KernelState): string {
  const { nonces, nowMs, venueOffsetMs = 0, outage } = state;
  if (outage.failures > 0) return "waiting for a connection to the venue";
  return nonces.nextFreeMs(nowMs, venueOffsetMs, "unused") - nowMs > CLOCK_BACK_MS
    ? "waiting for the venue's clock, which was set back"
    : "waiting for the rate budget";
}
