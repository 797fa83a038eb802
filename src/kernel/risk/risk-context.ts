import {
  addFixed,
  maxFixed,
  mulRoundHalfUp,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../domain/fixed.ts";
import { type MarketId, type TokenId, tokensOf } from "../../domain/ids.ts";
import { missingOf, type TrackedOrder } from "../../orders/tracked-order.ts";
import type { RiskContext } from "../../risk/context.ts";
import { AMOUNT_DECIMALS } from "../../risk/exposure.ts";
import type { BookView } from "../../strategy/view.ts";
import { budgetLeft } from "./budget.ts";
import { provenMs } from "../freshness/needs.ts";
import { isReduceOnly } from "./quote-mode.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";

/**
 * What the risk rules see for a placement of this slot. It includes earlier placements of the same step, and holds within the step until another
 * order is placed.
 */
export function riskContext(state: KernelState, slot: StrategySlot, book: BookView): RiskContext {
  const marketState = slot.market;
  const { market, blindSinceMs, lastTrade } = marketState;
  const orders = state.orders.live();
  const missing = state.orders.missingFills();
  const unsettled = missing.length === 0 ? orders : new Set([...orders, ...missing]);
  const free = new Map<TokenId, Fixed | undefined>();
  return {
    nowMs: state.nowMs,
    strategy: slot.name,
    market,
    isBookLive: blindSinceMs === undefined,
    mid: book.mid,
    lastTrade,
    provenMs: provenMs(state, marketState),
    position: positionIn(state, market.marketId),
    net: () => netIn(state, market.baseToken),
    reduceOnly: isReduceOnly(state, slot) ? reducibleBy(state, slot) : undefined,
    orders,
    free(token) {
      if (!free.has(token)) free.set(token, state.balances.free(token, unsettled));
      return free.get(token);
    },
    budgetFree: (token) => budgetLeft(state, slot, token)?.free,
  };
}

/** Net base quantity that a strategy holds in its market, executed quantity whose fills are still being fetched included. */
export function heldBy(state: KernelState, slot: StrategySlot): Fixed {
  let sum = slot.position.base;
  for (const order of ordersWithMissingFills(state, slot)) {
    sum = addFixed(sum, missingBaseOf(order));
  }
  return sum;
}

/**
 * The part of `heldBy` that the strategy has in any case. A purchase brings less than it executed by its fee (D18), which only its fills
 * tell; until they are known the higher of the market's rates counts.
 */
export function reducibleBy(state: KernelState, slot: StrategySlot): Fixed {
  const held = heldBy(state, slot);
  if (held <= ZERO) return held;
  const { makerFee, takerFee } = slot.market.market;
  const rate = maxFixed(ZERO, maxFixed(makerFee, takerFee));
  let least = held;
  for (const order of ordersWithMissingFills(state, slot)) {
    if (order.side !== "BUY") continue;
    least = subFixed(least, mulRoundHalfUp(missingOf(order), rate, AMOUNT_DECIMALS));
  }
  return maxFixed(ZERO, least);
}

function ordersWithMissingFills(
  { orders }: KernelState,
  { name, marketId: own }: StrategySlot,
): TrackedOrder[] {
  return orders
    .missingFills()
    .filter(({ strategy, marketId }) => strategy === name && marketId === own);
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

/** `positionIn` over all markets with this base token. */
function netIn(state: KernelState, base: TokenId): Fixed {
  const held = [...state.positions.all()].map(({ position }) => position.market.marketId);
  const missing = state.orders.missingFills().map(({ marketId }) => marketId);
  return [...new Set([...held, ...missing])]
    .filter((marketId) => tokensOf(marketId).base === base)
    .reduce((sum, marketId) => addFixed(sum, positionIn(state, marketId)), ZERO);
}

function missingBaseOf(order: TrackedOrder): Fixed {
  const missing = missingOf(order);
  return order.side === "BUY" ? missing : negFixed(missing);
}
