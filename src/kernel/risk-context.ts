import { addFixed, negFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import { missingOf } from "../orders/tracked-order.ts";
import type { RiskContext } from "../risk/context.ts";
import type { BookView } from "../strategy/view.ts";
import { marketOfSlot, type StrategySlot, type KernelState } from "./state.ts";

/** What the risk rules see for a placement of this slot. It includes earlier placements of the same step. */
export function riskContext(state: KernelState, slot: StrategySlot, book: BookView): RiskContext {
  const { market, blindSinceMs, lastTrade } = marketOfSlot(state, slot);
  const orders = state.orders.live();
  const missing = state.orders.missingFills();
  const unsettled = missing.length === 0 ? orders : new Set([...orders, ...missing]);
  return {
    nowMs: state.nowMs,
    market,
    isBookLive: blindSinceMs === undefined,
    mid: book.mid,
    lastTrade,
    lastMessageMs: state.lastMessageMs,
    position: positionIn(state, market.marketId),
    orders,
    free: (token) => state.balances.free(token, unsettled),
  };
}

/** Net base quantity bought in a market by all strategies, and by orders of an earlier run that belong to none of them. */
function positionIn(state: KernelState, marketId: MarketId): Fixed {
  let sum: Fixed = state.orphanBase.get(marketId) ?? ZERO;
  for (const { position } of state.slots) {
    if (position.market.marketId === marketId) sum = addFixed(sum, position.base);
  }
  // This quantity was executed, though its fills are still being fetched.
  for (const order of state.orders.missingFills()) {
    if (order.marketId !== marketId) continue;
    const missing = missingOf(order);
    sum = addFixed(sum, order.side === "BUY" ? missing : negFixed(missing));
  }
  return sum;
}
