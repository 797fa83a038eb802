import { isAtLeast } from "../../domain/risk-step.ts";
import { isWidenedBySource, sourcePullReason } from "../sources/sources.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { type QuoteMode, standingOf } from "./risk-state.ts";

/** The mode of a strategy's quotes at present. */
export function quoteModeOf(state: KernelState, slot: StrategySlot): QuoteMode {
  if (sourcePullReason(state, slot) !== undefined) return "none";
  const isBySource = isWidenedBySource(state, slot);
  if (isReduceOnly(state, slot)) return isBySource ? "widenedReduceOnly" : "reduceOnly";
  return isBySource || standingOf(state, slot)?.step === "widen" ? "widen" : "free";
}

/** Whether the ladder lets the strategy's orders only reduce its position. */
export function isReduceOnly(state: KernelState, slot: StrategySlot): boolean {
  return isAtLeast(standingOf(state, slot)?.step ?? "normal", "reduceOnly");
}
