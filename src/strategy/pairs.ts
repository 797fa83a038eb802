import { opposite, type Side } from "../domain/side.ts";
import type { WantedQuote } from "./contract.ts";
import type { MarketView, OwnOrder } from "./view.ts";

/** Which own orders form pairs and which hang; plain data for a strategy's state. */
export interface Pairs {
  /** Orders of each side at the last decision, best first: the n-th bid and the n-th ask are a pair. */
  ladder: Record<Side, readonly number[]>;
  /** Orders whose other half was filled, oldest first. They hang: they stay while the ladder moves. */
  hanging: readonly number[];
}

export function newPairs(): Pairs {
  return { ladder: { BUY: [], SELL: [] }, hanging: [] };
}

/**
 * Updates the pairs: when one half was filled whole and the other half still rests, the other half hangs. At most `max` orders
 * hang; beyond that the oldest return to the ladder. Call it in every decision, since fills are shown once.
 */
export function followPairs(
  pairs: Pairs,
  view: Pick<MarketView, "orders" | "fills">,
  max: number,
): void {
  const { orders } = view;
  const resting = new Set(orders.filter((order) => !order.isLeaving).map(({ id }) => id));
  const hanging = new Set(pairs.hanging);
  for (const { order: filled, side } of view.fills) {
    if (orders.some(({ id }) => id === filled)) continue;
    const rank = pairs.ladder[side].indexOf(filled);
    const partner = rank < 0 ? undefined : pairs.ladder[opposite(side)][rank];
    if (partner !== undefined) hanging.add(partner);
  }
  pairs.hanging = [...hanging].filter((id) => resting.has(id)).slice(-max);
  const inLadder = orders.filter(({ id }) => resting.has(id) && !pairs.hanging.includes(id));
  pairs.ladder = { BUY: bestFirst(inLadder, "BUY"), SELL: bestFirst(inLadder, "SELL") };
}

function bestFirst(orders: readonly OwnOrder[], side: Side): readonly number[] {
  const sign = side === "BUY" ? -1 : 1;
  return orders
    .filter((order) => order.side === side)
    .sort((left, right) => sign * (left.price - right.price) || left.id - right.id)
    .map(({ id }) => id);
}

/** The hanging orders of a side, as quotes that keep these orders. */
export function hangingQuotes(
  pairs: Pairs,
  view: Pick<MarketView, "orders">,
  side: Side,
): readonly WantedQuote[] {
  if (pairs.hanging.length === 0) return [];
  return view.orders
    .filter((order) => order.side === side && pairs.hanging.includes(order.id))
    .map(({ id, price, remaining }) => ({ price, size: remaining, order: id }));
}

/** Forgets hanging orders that are more than `distance` from `price`, both in quote token; gives their ids, for `drop`. */
export function forgetFar(
  pairs: Pairs,
  view: Pick<MarketView, "orders">,
  price: number,
  distance: number,
): readonly number[] {
  const far = view.orders
    .filter((order) => pairs.hanging.includes(order.id) && Math.abs(order.price - price) > distance)
    .map(({ id }) => id);
  pairs.hanging = pairs.hanging.filter((id) => !far.includes(id));
  return far;
}
