import type { WantedQuote } from "./contract.ts";
import type { OwnOrder } from "./view.ts";

/**
 * Keeps orders of a side that are younger than `lifetimeMs` at their prices: each takes the wanted quote nearest to its price,
 * while there are quotes. For strategies that prefer a slightly wrong price to frequent changes of orders.
 */
export function keepYoung(
  quotes: readonly WantedQuote[],
  orders: readonly OwnOrder[],
  lifetimeMs: number,
): readonly WantedQuote[] {
  if (lifetimeMs <= 0) return quotes;
  const kept = [...quotes];
  for (const order of orders) {
    if (order.ageMs >= lifetimeMs || order.isLeaving) continue;
    let nearest: number | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const [index, quote] of kept.entries()) {
      const away = Math.abs(quote.price - order.price);
      if (quote.order !== undefined || away >= distance) continue;
      nearest = index;
      distance = away;
    }
    const quote = nearest === undefined ? undefined : kept[nearest];
    if (nearest !== undefined && quote !== undefined) kept[nearest] = { ...quote, order: order.id };
  }
  return kept;
}
