import { isAtLeast } from "../../domain/risk-step.ts";
import { isWidenedBySource } from "../sources/sources.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { type QuoteMode, standingOf } from "./risk-state.ts";

/** The mode of a strategy's quotes at present. */
export function quoteModeOf(state: KernelState, slot: StrategySlot): QuoteMode {
  const step = standingOf(state, slot)?.step ?? "normal";
  if (isAtLeast(step, "reduceOnly")) return "reduceOnly";
  return step === "widen" || isWidenedBySource(state, slot) ? "widen" : "free";
}
