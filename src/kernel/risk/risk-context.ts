import { addFixed, negFixed, type Fixed } from "../../domain/fixed.ts";
import type { MarketId } from "../../domain/ids.ts";
import { missingOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { RiskContext } from "../../risk/context.ts";
import type { BookView } from "../../strategy/view.ts";
import { referencePrices } from "../doubts/doubt-book.ts";
import { quoteModeOf } from "./risk-state.ts";
import { marketOfSlot } from "../slots.ts";
import type { StrategySlot, KernelState } from "../state.ts";

/** What the risk rules see for a placement of this slot. It includes earlier placements of the same step. */
export function riskContext(state: KernelState, slot: StrategySlot, book: BookView): RiskContext {
  const marketState = marketOfSlot(state, slot);
  const { market, blindSinceMs, lastTrade } = marketState;
  const orders = state.orders.live();
  const missing = state.orders.missingFills();
  const unsettled = missing.length === 0 ? orders : new Set([...orders, ...missing]);
  return {
    nowMs: state.nowMs,
    market,
    isBookLive: blindSinceMs === undefined,
    mid: book.mid,
    lastTrade,
    references: referencePrices(state, marketState),
    lastMessageMs: state.lastMessageMs,
    position: positionIn(state, market.marketId),
    reduceOnly: quoteModeOf(state, slot) === "reduceOnly" ? heldBy(state, slot) : undefined,
    orders,
    free: (token) => state.balances.free(token, unsettled),
  };
}

/** Net base quantity that a strategy holds in its market, executed quantity whose fills are still being fetched included. */
export function heldBy(state: KernelState, { runner, position }: StrategySlot): Fixed {
  let sum = position.base;
  for (const order of state.orders.missingFills()) {
    if (order.strategy !== runner.name || order.marketId !== runner.binding.marketId) continue;
    sum = addFixed(sum, missingBaseOf(order));
  }
  return sum;
}

/** Net base quantity that all strategies hold in a market, those included that are gone from the configuration. */
export function positionIn(state: KernelState, marketId: MarketId): Fixed {
  let sum = state.positions.net(marketId);
  // This quantity was executed, though its fills are still being fetched.
  for (const order of state.orders.missingFills()) {
    if (order.marketId !== marketId) continue;
    sum = addFixed(sum, missingBaseOf(order));
  }
  return sum;
}

function missingBaseOf(order: TrackedOrder): Fixed {
  const missing = missingOf(order);
  return order.side === "BUY" ? missing : negFixed(missing);
}
