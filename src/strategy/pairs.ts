import { opposite } from "../domain/side.ts";
import type { Side } from "../domain/side.ts";
import type { WantedQuote } from "./contract.ts";
import { costBound } from "./cost-bound.ts";
import type { MarketView, OwnOrder } from "./view.ts";

/** Which own orders hang; plain data for a strategy's state. The bid and the ask of one level (`key`) are a pair. */
export interface Pairs {
  /** Orders whose other half was filled, oldest first. They hang: they stay while the ladder moves. */
  hanging: readonly number[];
}

export function newPairs(): Pairs {
  return { hanging: [] };
}

/**
 * Updates the pairs: when an order of the ladder was filled whole, the resting orders of its level on the other side hang, unless they would
 * trade the position back for less than it cost. At most `max` orders hang; beyond that the oldest return to the ladder. Call it in every
 * decision, since fills are shown once.
 */
export function followPairs(
  pairs: Pairs,
  view: Pick<MarketView, "orders" | "fills" | "position" | "makerFee">,
  max: number,
): void {
  const resting = view.orders.filter(({ isLeaving }) => !isLeaving);
  const hanging = new Set(pairs.hanging);
  for (const { order: filled, side, key, isComplete } of view.fills) {
    if (!isComplete || key === undefined || pairs.hanging.includes(filled)) continue;
    for (const other of resting) {
      if (other.side === opposite(side) && other.key === key) hanging.add(other.id);
    }
  }
  const stays = (order: OwnOrder | undefined): boolean =>
    order !== undefined && paysBack(order, view);
  pairs.hanging = [...hanging]
    .filter((id) => stays(resting.find((order) => order.id === id)))
    .slice(-max);
}

function paysBack(
  { side, price }: OwnOrder,
  view: Pick<MarketView, "position" | "makerFee">,
): boolean {
  const bound = costBound(side, view);
  return bound === undefined || (side === "BUY" ? price <= bound : price >= bound);
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
