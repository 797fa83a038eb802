import type { WantedQuote } from "./contract.ts";
import type { OwnOrder } from "./view.ts";

/**
 * Keeps orders of a side that are younger than `lifetimeMs` at their prices: each takes the wanted quote nearest to its price,
 * while there are quotes, together with the other order of its level when it has two. For strategies that prefer a slightly wrong price to frequent changes of orders.
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
    if (kept.some((quote) => quote.order === order.id)) continue;
    let nearest: number | undefined;
    let distance = Number.POSITIVE_INFINITY;
    for (const [index, quote] of kept.entries()) {
      const away = Math.abs(quote.price - order.price);
      if (quote.order !== undefined || away >= distance) continue;
      nearest = index;
      distance = away;
    }
    const quote = nearest === undefined ? undefined : kept[nearest];
    if (nearest === undefined || quote === undefined) continue;
    const { key, id } = order;
    const others = orders.filter(
      (other) => other !== order && !other.isLeaving && key !== undefined && other.key === key,
    );
    const left = others.map((other) => ({ ...quote, size: other.remaining, order: other.id }));
    kept.splice(nearest, 1, { ...quote, order: id }, ...left);
  }
  return kept;
}
