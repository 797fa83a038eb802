import type { CommandOutcome } from "../../domain/command.ts";
import type { KernelState } from "../state.ts";

/** Notes the response to a command: of a refused placement, a copy of its bytes may be taken later (docs/decisions/122). */
export function noteRefused(state: KernelState, intent: number, outcome: CommandOutcome): void {
  if (state.config.awaitsRefused !== true || outcome.type !== "refused") return;
  const order = state.orders.byIntent(intent);
  // A used nonce stays used; and a modify of an order that has ended is refused (D13), as every order has when a stop ends.
  if (outcome.reason === "nonceUsed" || order?.origin === "modify") return;
  if (order?.isRefused === true) state.refusedNonce = Math.max(state.refusedNonce, order.nonce);
}

/** Until when the venue may take a copy of a refused placement, our clock; 0 for none, Infinity while the venue's clock is not known. */
export function refusedLandUntilMs({ refusedNonce, nonceExpiry }: KernelState): number {
  return refusedNonce === 0 ? 0 : (nonceExpiry?.expiresMs(refusedNonce) ?? 0);
}
