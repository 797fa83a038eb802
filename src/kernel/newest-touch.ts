import type { Side } from "../domain/side.ts";
import type { BookView } from "../strategy/view.ts";
import type { MarketState } from "./market-state.ts";

/**
 * The best price of a side that a quote of the other side must stay behind: of the book less own orders, and of a newer whole book that
 * waits to be compared with it. Undefined when the side is empty.
 */
export function newestTouch({ sync }: MarketState, book: BookView, side: Side): number | undefined {
  const touch = book.best(side)?.price;
  const newer = sync.ahead;
  if (newer === undefined) return touch;
  const [price] = side === "BUY" ? newer.bids : newer.asks;
  if (price === undefined || touch === undefined) return price ?? touch;
  return side === "BUY" ? Math.max(price, touch) : Math.min(price, touch);
}
