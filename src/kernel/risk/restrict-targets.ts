import { absFixed, type Fixed, minFixed, subFixed, ZERO } from "../../domain/fixed.ts";
import type { MarketRules } from "../../domain/market-rules.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { Tpsl } from "../../domain/tpsl.ts";
import { liveQuantity } from "../../risk/exposure.ts";
import type { BookView } from "../../strategy/view.ts";
import { reducibleBy } from "./risk-context.ts";
import { quoteModeOf } from "./quote-mode.ts";
import { standingOf } from "./risk-state.ts";
import { contingentOf, takesOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { legalTpsl, type TargetQuote, type Targets, withoutPiles } from "../targets.ts";

/** Applies the risk ladder and the age of price sources to a strategy's new targets. */
export function restrictTargets(state: KernelState, slot: StrategySlot, book: BookView): void {
  const mode = quoteModeOf(state, slot);
  if (mode === "free") return;
  const rules = rulesOf(slot.market.market);
  if (mode === "none") {
    slot.targets = { ...slot.targets, quotes: [] };
    return;
  }
  if (mode !== "widen") slot.targets = reduced(state, slot, rules);
  if (mode !== "reduceOnly" && book.mid !== undefined && state.risk !== undefined) {
    const quotes = widen(slot.targets.quotes, { rules, mid: book.mid, by: state.risk.widenBy });
    slot.targets = { ...slot.targets, quotes };
  }
}

interface Widening {
  readonly rules: MarketRules;
  readonly mid: number;
  readonly by: number;
}

/** Multiplies each quote's distance from the mid; its take profit and stop loss move with it. Of the quotes on the wrong side of the mid one goes to the mid. */
function widen(
  quotes: readonly TargetQuote[],
  { rules, mid, by }: Widening,
): readonly TargetQuote[] {
  const moved = new Set<TargetQuote>();
  for (const quote of quotes) {
    const { side, price: before, tpsl } = quote;
    if (side === "BUY" ? before > mid : before < mid) moved.add(quote);
    quote.price =
      side === "BUY"
        ? rules.roundDown(mid - Math.max(0, mid - before) * by)
        : rules.roundUp(mid + Math.max(0, before - mid) * by);
    if (tpsl !== undefined) {
      quote.tpsl = legalTpsl(rules, side, movedBy(quote.price - before, tpsl));
    }
  }
  return withoutPiles(quotes, moved);
}

function movedBy(distance: number, { tpLimit, slTrigger, slLimit }: Tpsl): Tpsl {
  return {
    tpLimit: tpLimit + distance,
    slTrigger: slTrigger + distance,
    slLimit: slLimit === undefined ? undefined : slLimit + distance,
  };
}

/**
 * The targets that bring the position nearer to 0: quotes of that side without legs, the nearest first, together at most as large as
 * the position less what stop orders, legs and takes of that side may fill. A side that stays as it was wanted keeps its reason.
 */
function reduced(state: KernelState, slot: StrategySlot, rules: MarketRules): Targets {
  const { targets, marketId } = slot;
  const held = reducibleBy(state, slot);
  const side = held > ZERO ? "SELL" : "BUY";
  const others = [...contingentOf(state, slot), ...takesOf(state, slot)];
  let left = subFixed(absFixed(held), liveQuantity(others, marketId, side));
  const sorted = targets.quotes
    .filter((quote) => quote.side === side)
    .sort((one, other) => (side === "BUY" ? other.price - one.price : one.price - other.price));
  const quotes: TargetQuote[] = [];
  let isWhole = held !== ZERO;
  for (const quote of sorted) {
    const size = cut(quote, left, rules);
    isWhole &&= size === quote.size;
    if (size === undefined) continue;
    left = subFixed(left, size);
    quotes.push({ ...quote, size, tpsl: undefined });
  }
  const text = `reduce only: ${standingOf(state, slot)?.text ?? ""}`;
  const kept = isWhole ? { [side]: targets.reason[side] } : {};
  return { ...targets, quotes, reason: { BUY: text, SELL: text, ...kept } };
}

/** The size of a quote cut to what is left, in whole lots; undefined when that is less than the market's minimum. */
function cut({ size, price }: TargetQuote, left: Fixed, rules: MarketRules): Fixed | undefined {
  if (left <= ZERO) return undefined;
  const whole = rules.roundSize(minFixed(size, left));
  const least = rules.minSizeAt(price);
  return whole > ZERO && whole >= least ? whole : undefined;
}
