import type { Side } from "../domain/side.ts";
import type { Level, MarketView } from "../strategy/view.ts";
import type { NaiveBook } from "./naive-book.ts";
import type { OwnPrices } from "./own-prices.ts";

/** The kernel's book as a decision has read it: without own orders. */
export interface ReadBook {
  /** Time of the batch of the step, by the bot's clock. */
  readonly nowMs: number;
  /** All levels, best first. */
  readonly BUY: readonly Level[];
  readonly SELL: readonly Level[];
}

const ALL = Number.POSITIVE_INFINITY;

export function readBook({ nowMs, book }: Pick<MarketView, "nowMs" | "book">): ReadBook {
  return { nowMs, BUY: book.levels("BUY", ALL), SELL: book.levels("SELL", ALL) };
}

/** How what was read differs from this book; undefined when it does not. Where an own order may rest, less may have been read. */
export function differenceOf(
  read: ReadBook,
  book: NaiveBook,
  own: Pick<OwnPrices, "on">,
): string | undefined {
  return differenceOn("BUY", read.BUY, book, own) ?? differenceOn("SELL", read.SELL, book, own);
}

function differenceOn(
  side: Side,
  read: readonly Level[],
  book: NaiveBook,
  own: Pick<OwnPrices, "on">,
): string | undefined {
  const delivered = book.levels(side);
  let before = side === "BUY" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (const { price, quantity } of read) {
    if (side === "BUY" ? price >= before : price <= before) {
      return `${side} has ${price} after ${before}`;
    }
    before = price;
    const held = delivered.get(price) ?? 0;
    if (quantity > held || (quantity < held && !own.on(side).has(price))) {
      return `${side} has ${quantity} at ${price} instead of ${held}`;
    }
  }
  let missing = delivered.size - read.length;
  if (missing === 0) return undefined;
  const isRead = (price: number): boolean => read.some((level) => level.price === price);
  for (const price of own.on(side)) {
    if (delivered.has(price) && !isRead(price)) missing -= 1;
  }
  if (missing === 0) return undefined;
  const [price] = [...delivered.keys()].filter((at) => !isRead(at) && !own.on(side).has(at));
  return `${side} has nothing at ${price}`;
}
