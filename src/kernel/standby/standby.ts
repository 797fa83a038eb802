import type { OrderId } from "../../domain/ids.ts";
import type { GuardSettings } from "../config.ts";
import type { StandbyCancel } from "../effect.ts";
import type { KernelState } from "../state.ts";
import type { StandbyState } from "./standby-state.ts";

/** The first guard has connected or the last one has gone. */
export function onGuard(state: KernelState, isConnected: boolean): void {
  const { standby } = state;
  if (standby === undefined || standby.isGuarded === isConnected) return;
  standby.isGuarded = isConnected;
  standby.made.clear();
  state.notes.push({ type: "guard", isConnected });
}

/** Why the bot may not quote without a guard; undefined when it may. */
export function guardReason({ config, standby, phase }: KernelState): string | undefined {
  // A guard connects only once the bot listens, and orders of an earlier run may stay until then.
  if (standby === undefined || standby.isGuarded || phase === "starting") return undefined;
  return config.guard?.isRequired === true ? "no guard is connected" : undefined;
}

/**
 * A standby cancel for every own order that has none or whose own is due to be replaced; for orders of this step, too. They cost no rate token, since the bot never sends them.
 */
export function emitStandby(state: KernelState, ended: readonly OrderId[]): StandbyCancel[] {
  const { standby, config, nonces, nowMs, venueOffsetMs } = state;
  const cancels: StandbyCancel[] = [];
  if (standby?.isGuarded !== true || config.guard === undefined) return cancels;
  for (const orderId of ended) {
    const order = state.orders.byId(orderId);
    if (order !== undefined) standby.made.delete(order.intent);
  }
  if (venueOffsetMs === undefined) return cancels;
  const { refreshMs } = config.guard;
  forgetAfterClockSet(standby, venueOffsetMs, config.guard);
  for (const order of state.orders.live()) {
    const { orderId, intent } = order;
    // The ids of legs follow from the id of their quote, in the next step.
    if (order.phase === "ended" || (orderId === undefined && order.leg !== undefined)) continue;
    const madeMs = standby.made.get(intent);
    if (madeMs !== undefined && nowMs < madeMs + refreshMs) continue;
    const nonce = nonces.next(nowMs, venueOffsetMs);
    // The newest goes last.
    standby.made.delete(intent);
    standby.made.set(intent, nowMs);
    cancels.push({
      type: "standby",
      nonce,
      strategy: order.strategy,
      intent,
      orderId,
      orderNonce: order.nonce,
      isAcknowledged: order.ackedAtMs !== undefined,
    });
  }
  // What is still due is of orders that are live no more.
  for (const [intent, madeMs] of standby.made) {
    if (nowMs < madeMs + refreshMs) break;
    standby.made.delete(intent);
  }
  return cancels;
}

/** Has all cancels made anew when the venue's clock was set: it takes a nonce only near its own time. */
function forgetAfterClockSet(
  standby: StandbyState,
  offsetMs: number,
  { refreshMs }: GuardSettings,
): void {
  const movedMs = Math.abs(offsetMs - (standby.offsetMs ?? offsetMs));
  if (movedMs >= refreshMs / 2) standby.made.clear();
  if (standby.made.size === 0) standby.offsetMs = offsetMs;
}

/** When the oldest standby cancel has to be replaced, our clock; Infinity without one. */
export function nextStandbyMs({ standby, config, nowMs }: KernelState): number {
  const never = Number.POSITIVE_INFINITY;
  if (standby === undefined || config.guard === undefined) return never;
  for (const madeMs of standby.made.values()) {
    const dueMs = madeMs + config.guard.refreshMs;
    return dueMs > nowMs ? dueMs : never;
  }
  return never;
}
