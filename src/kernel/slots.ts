import { assert } from "../base/assert.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import type { KernelState, MarketState, StrategySlot } from "./state.ts";

/**
 * The slot that an order belongs to: that of its strategy, if the strategy still trades the order's market. Orders of an earlier
 * run may have none.
 */
export function slotOf(
  { slotByName }: KernelState,
  { strategy, marketId }: TrackedOrder,
): StrategySlot | undefined {
  const slot = slotByName.get(strategy);
  return slot?.runner.binding.marketId === marketId ? slot : undefined;
}

/** The live quotes of a slot. */
export function quotesOf(
  { orders }: KernelState,
  { runner }: StrategySlot,
): readonly TrackedOrder[] {
  return orders.quotes(runner.name, runner.binding.marketId);
}

/** The live stop orders and legs of a slot. */
export function contingentOf(
  { orders }: KernelState,
  { runner }: StrategySlot,
): readonly TrackedOrder[] {
  return orders.contingent(runner.name, runner.binding.marketId);
}

export function marketOfSlot(state: KernelState, slot: StrategySlot): MarketState {
  const market = state.markets.get(slot.runner.binding.marketId);
  assert(market !== undefined, "every slot has its market");
  return market;
}
