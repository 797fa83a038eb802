import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { KernelState } from "./state.ts";
import type { StrategyRunner } from "./strategy/strategy-runner.ts";
import type { StrategySlot } from "./strategy/strategy-slot.ts";

/** The strategy of this name; undefined when the bot has none. */
export function runnerOf({ runners }: KernelState, name: string): StrategyRunner | undefined {
  return runners.find((runner) => runner.name === name);
}

/** The strategy of this name, or all of them. */
export function runnersOf(
  { runners }: KernelState,
  strategy: string | undefined,
): readonly StrategyRunner[] {
  return runners.filter(({ name }) => strategy === undefined || name === strategy);
}

/** The slots of a strategy, or all of them; none when the bot has no strategy of this name. */
export function slotsOf(
  { slots, slotsByName }: KernelState,
  strategy: string | undefined,
): readonly StrategySlot[] {
  return strategy === undefined ? slots : (slotsByName.get(strategy) ?? []);
}

/**
 * The slot of a strategy in a market, for example that of an order; undefined when the strategy does not trade there, as may be with orders
 * of an earlier run.
 */
export function slotOf(
  { slotsByName }: KernelState,
  { strategy, marketId }: Pick<TrackedOrder, "strategy" | "marketId">,
): StrategySlot | undefined {
  return slotsByName.get(strategy)?.find((slot) => slot.marketId === marketId);
}

/** The live quotes of a slot. */
export function quotesOf(
  { orders }: KernelState,
  { name, marketId }: StrategySlot,
): readonly TrackedOrder[] {
  return orders.of(name, marketId).quotes;
}

/** The live takes of a slot. */
export function takesOf(
  { orders }: KernelState,
  { name, marketId }: StrategySlot,
): readonly TrackedOrder[] {
  return orders.of(name, marketId).takes;
}

/** The live stop orders and legs of a slot. */
export function contingentOf(
  { orders }: KernelState,
  { name, marketId }: StrategySlot,
): readonly TrackedOrder[] {
  return orders.of(name, marketId).contingent;
}
