import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { takesOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { WITHIN_MS } from "./target-takes.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** After an order was acknowledged its event follows within this time, as a rule. */
const EVENT_MS = 100;

/** When a live take is canceled: an event shows that it rests, the one that should show it is late, or its time is over. */
export function leavesMs(slot: StrategySlot, order: TrackedOrder): number {
  const { wanted } = slot.takes;
  const { withinMs = WITHIN_MS } = wanted.find(({ name }) => name === order.take?.name) ?? {};
  const lastMs = order.madeAtMs + withinMs;
  // The rest of a market order is canceled by the venue (D20).
  if (order.phase !== "working" || order.price === 0) return lastMs;
  if (order.eventBlock !== undefined) return order.ackedAtMs ?? lastMs;
  return Math.min(lastMs, (order.ackedAtMs ?? NEVER) + EVENT_MS);
}

/** When the takes of a slot need a step, our clock; Infinity for never. */
export function nextTakeMs(state: KernelState, slot: StrategySlot): number {
  const { takes } = slot;
  if (takes.isIdle) return NEVER;
  const { nowMs } = state;
  const { flattening } = slot.runner;
  let next = Math.min(takes.records.nextMs(nowMs), flattening?.untilMs ?? NEVER);
  for (const order of takesOf(state, slot)) {
    const atMs = leavesMs(slot, order);
    // What is due already waits for a token.
    if (atMs > nowMs) next = Math.min(next, atMs);
  }
  if (takes.clip === undefined || takes.work === undefined) return next;
  const clipMs = takes.clipMs + takes.work.everyMs;
  return clipMs > nowMs ? Math.min(next, clipMs) : next;
}
