import type { CommandOutcome } from "../../domain/command.ts";
import { isLeaving, mayBeModified, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { KernelState } from "../state.ts";

/** This many refused modifies in a row cannot all be races with fills. */
const MODIFY_REFUSALS_MAX = 3;

/** Whether a modify may turn this order into another one. */
export function mayModify(order: TrackedOrder): boolean {
  return order.unlisted === 0 && !order.isAbsent && mayBeModified(order);
}

/** Counts the outcome of a command if it is a modify. Call it before the order follows the outcome. */
export function followModify(state: KernelState, intent: number, outcome: CommandOutcome): void {
  const { modifies, orders } = state;
  const isModify = modifies.open.delete(intent);
  const isHeldBack = outcome.type === "not-sent" && outcome.isHeldBack === true;
  if (isHeldBack) modifies.areHeldBack ||= isModify;
  else if (orders.byIntent(intent) !== undefined) modifies.areHeldBack = false;
  if (!isModify) return;
  if (outcome.type === "accepted") {
    modifies.refusals = 0;
    modifies.refused.clear();
  }
  if (outcome.type !== "refused") return;
  if (outcome.reason === "rateLimited" || outcome.reason === "nonceUsed") return;
  const original = orders.byIntent(intent)?.replaced;
  if (original === undefined) countRefusal(state, outcome.message);
  else modifies.refused.set(original, outcome.message);
}

/** Counts the refused modifies whose originals the venue has shown since. One of an order that was filled first says nothing about modifies. */
export function judgeModifies(state: KernelState): void {
  const { refused } = state.modifies;
  for (const [original, message] of refused) {
    const hasEnded = original.phase === "ended";
    if (!hasEnded && isLeaving(original)) continue;
    refused.delete(original);
    if (original.status !== "FILLED") countRefusal(state, message);
  }
}

function countRefusal(state: KernelState, message: string): void {
  state.modifies.refusals += 1;
  if (state.modifies.refusals >= MODIFY_REFUSALS_MAX) stopModifies(state, message);
}

/** Whether quotes are moved by modifies now. While the disk hangs no modify is sent, and the order would rest at its old price. */
export function usesModifies({ modifies }: KernelState): boolean {
  return modifies.isOn && !modifies.areHeldBack;
}

export function stopModifies(state: KernelState, reason: string): void {
  if (!state.modifies.isOn) return;
  state.modifies.isOn = false;
  state.notes.push({
    type: "warning",
    code: "MODIFY_OFF",
    message: `from now on quotes are moved by a cancel and a placement instead of a modify: ${reason}`,
  });
}
