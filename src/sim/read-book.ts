import type { Side } from "../domain/side.ts";
import type { Level, MarketView } from "../strategy/view.ts";
import type { NaiveBook } from "./naive-book.ts";
import type { OwnAmount, OwnPrices } from "./own-prices.ts";

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

/** Share of a level that may be lost by subtracting doubles. */
const NOISE_SHARE = 1e-9;

/** How what was read differs from this book less own orders; undefined when it does not. */
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
  const amounts = own.on(side);
  let before = side === "BUY" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (const { price, quantity } of read) {
    if (side === "BUY" ? price >= before : price <= before) {
      return `${side} has ${price} after ${before}`;
    }
    before = price;
    const held = delivered.get(price) ?? 0;
    const difference = differenceAt(quantity, held, amounts.get(price));
    if (difference !== undefined) return `${side} has ${quantity} at ${price} ${difference}`;
  }
  if (delivered.size === read.length) return undefined;
  const prices = new Set(read.map(({ price }) => price));
  for (const [price, held] of delivered) {
    if (!prices.has(price) && differenceAt(0, held, amounts.get(price)) !== undefined) {
      return `${side} has nothing at ${price}`;
    }
  }
  return undefined;
}

function differenceAt(
  quantity: number,
  held: number,
  own: OwnAmount | undefined,
): string | undefined {
  if (own === undefined) return quantity === held ? undefined : `instead of ${held}`;
  const noise = held * NOISE_SHARE;
  if (quantity > Math.max(0, held - own.least) + noise) {
    return `instead of ${held} less own orders of ${own.least}`;
  }
  return quantity < held - own.most - noise
    ? `instead of ${held} less own orders of at most ${own.most}`
    : undefined;
}
