import type { WantedQuote } from "./contract.ts";
import type { OwnOrder } from "./view.ts";

/**
 * Keeps the orders of a side that are younger than `lifetimeMs` where they are: each takes the wanted quote nearest to its
 * price, as far as there are quotes. For strategies that would rather be a little off than change orders too often.
 */
export function keepYoung(
  quotes: readonly WantedQuote[],
  orders: readonly OwnOrder[],
  lifetimeMs: number,
): readonly WantedQuote[] {
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
