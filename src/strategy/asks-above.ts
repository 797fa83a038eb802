import { roundPriceUp, tickAt } from "../domain/price.ts";
import type { WantedQuote } from "./contract.ts";

/** The asks, those that would meet our own bids a tick above the highest of them: nobody should trade with themselves. */
export function asksAbove(
  bids: readonly WantedQuote[],
  asks: readonly WantedQuote[],
): readonly WantedQuote[] {
  const top = Math.max(0, ...bids.map(({ price }) => price));
  const lowest = top === 0 ? 0 : roundPriceUp(top + tickAt(top));
  return asks.map((ask) => (ask.price < lowest ? { ...ask, price: lowest } : ask));
}
