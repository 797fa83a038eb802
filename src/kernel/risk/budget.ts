import { budgetAmount } from "../../domain/budget.ts";
import { addFixed, type Fixed, maxFixed, subFixed, ZERO } from "../../domain/fixed.ts";
import { type TokenId, tokensOf } from "../../domain/ids.ts";
import { unpaidOf } from "../../orders/balance-change.ts";
import { slotsOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";

/** What a strategy has of a token by its budget, over all its markets. */
interface BudgetLeft {
  /** The budget itself. */
  readonly budget: Fixed;
  /** The budget and what its own fills in all its markets brought or took. Never negative. */
  readonly total: Fixed;
  /** `total` less what its own orders may still pay. Never negative. */
  readonly free: Fixed;
}

/**
 * What is left of a strategy's budget, which names the tokens of its own market; undefined where none is set. A share is one of what the account has less what the strategies have traded,
 * so that no fill changes it; before the balances are known it is 0.
 */
export function budgetLeft(
  state: KernelState,
  slot: StrategySlot,
  token: TokenId,
): BudgetLeft | undefined {
  const { budget: written, marketId } = slot.runner.binding;
  if (written === undefined) return undefined;
  const { base, quote } = tokensOf(marketId);
  const part = token === base ? written.base : token === quote ? written.quote : undefined;
  if (part === undefined) return undefined;
  const budget = budgetAmount(part, maxFixed(ZERO, broughtIn(state, token)));
  const flows = slotsOf(state, slot.name).map((own) => flowOf(own, token));
  const total = maxFixed(ZERO, flows.reduce(addFixed, budget));
  let free = total;
  for (const order of new Set([...state.orders.live(), ...state.orders.missingFills()])) {
    if (order.strategy !== slot.name) continue;
    const need = unpaidOf(order);
    if (need.tokenId === token) free = subFixed(free, need.amount);
  }
  return { budget, total, free: maxFixed(ZERO, free) };
}

/** What the account would have without the fills of the strategies. */
function broughtIn({ balances, slots }: KernelState, token: TokenId): Fixed {
  let sum = balances.total(token);
  if (sum === undefined) return ZERO;
  for (const slot of slots) sum = subFixed(sum, flowOf(slot, token));
  return sum;
}

function flowOf({ market: { market }, position }: StrategySlot, token: TokenId): Fixed {
  if (token === market.baseToken) return position.base;
  return token === market.quoteToken ? position.quote : ZERO;
}
