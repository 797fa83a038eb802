import type { BookView } from "./view.ts";

export type PriceSource = "mid" | "microprice" | "lastTrade";

/**
 * The price that quotes are placed around. A last trade outside the touch is out of date and counts as the touch that it is
 * beyond; before the first trade the mid is used. Undefined when a side of the book is empty.
 */
export function fairPrice(
  book: BookView,
  source: PriceSource,
  lastTrade: number | undefined,
): number | undefined {
  const { mid } = book;
  if (source === "microprice") return book.microprice ?? mid;
  const bid = book.best("BUY")?.price;
  const ask = book.best("SELL")?.price;
  if (source === "mid" || lastTrade === undefined || bid === undefined || ask === undefined) {
    return mid;
  }
  return Math.min(Math.max(lastTrade, bid), ask);
}
