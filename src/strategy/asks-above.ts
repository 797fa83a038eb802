import { gridRules } from "../domain/grid-rules.ts";
import type { MarketRules } from "../domain/market-rules.ts";
import type { WantedQuote } from "./contract.ts";

/**
 * The asks, with those that would meet our own bids moved to a tick above the highest bid, so that the strategy never trades
 * with itself. `rules` are the market's, `view.rules`; left out, the grid of §4.5.
 */
export function asksAbove(
  bids: readonly WantedQuote[],
  asks: readonly WantedQuote[],
  rules: MarketRules = gridRules,
): readonly WantedQuote[] {
  const top = Math.max(0, ...bids.map(({ price }) => price));
  const lowest = top === 0 ? 0 : rules.roundUp(top + rules.tickAt(top));
  return asks.map((ask) => (ask.price < lowest ? { ...ask, price: lowest } : ask));
}
