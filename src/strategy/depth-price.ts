import type { Side } from "../domain/side.ts";
import type { BookView } from "./view.ts";

/** Most levels that are read. */
const MAX_LEVELS = 50;

export interface DepthPrice {
  /** Average price of the quantity, weighted by quantity. */
  readonly average: number;
  /** Price of the last level that it needs. */
  readonly last: number;
}

/**
 * What the first `quantity` base token of a side trade at; of the whole side, or its first 50 levels, when they hold less. With 0 it is the
 * touch. Undefined when the side is empty.
 */
export function depthPrice(book: BookView, side: Side, quantity: number): DepthPrice | undefined {
  const best = book.best(side);
  if (best === undefined) return undefined;
  if (best.quantity >= quantity) return { average: best.price, last: best.price };
  let [left, worth, last] = [quantity, 0, best.price];
  for (const level of book.levels(side, MAX_LEVELS)) {
    const taken = Math.min(left, level.quantity);
    worth += taken * level.price;
    left -= taken;
    last = level.price;
    if (left <= 0) break;
  }
  return { average: worth / (quantity - left), last };
}
