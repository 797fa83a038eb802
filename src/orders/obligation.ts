import { addFixed, type Fixed, mulNumber, ZERO } from "../domain/fixed.ts";
import type { Side } from "../domain/side.ts";
import type { OrderSnapshot } from "./order-snapshot.ts";

/** What a market-making agreement asks of a strategy's quotes at every moment. */
export interface Obligation {
  /** Widest spread between own bid and own ask, as a share of their mid. */
  readonly spread: number;
  /** Smallest size that each side shows within that spread: of base token, or what it is worth in quote token at the quotes' prices. */
  readonly size: Fixed | { readonly quote: Fixed };
}

type Quote = Pick<OrderSnapshot, "side" | "price" | "remaining">;

/** Rounding of doubles, so that a spread that is equal to the obligation keeps it. */
const TOLERANCE = 1e-9;

/**
 * Whether quotes that rest in one market are two-sided, of the size and within the spread. Several quotes of a side add up: its price
 * is the one at which the size is complete, counted from the best quote, as if a taker traded the whole size.
 */
export function keepsObligation(quotes: readonly Quote[], { spread, size }: Obligation): boolean {
  const bid = priceOfSize(quotes, "BUY", size);
  const ask = priceOfSize(quotes, "SELL", size);
  if (bid === undefined || ask === undefined) return false;
  return (ask - bid) / ((ask + bid) / 2) <= spread + TOLERANCE;
}

function priceOfSize(
  quotes: readonly Quote[],
  side: Side,
  size: Obligation["size"],
): number | undefined {
  const own = quotes.filter((quote) => quote.side === side);
  own.sort((left, right) => (side === "BUY" ? right.price - left.price : left.price - right.price));
  const isInQuote = typeof size === "object";
  const wanted = isInQuote ? size.quote : size;
  let sum: Fixed = ZERO;
  for (const { price, remaining } of own) {
    sum = addFixed(sum, isInQuote ? mulNumber(price, remaining) : remaining);
    if (sum >= wanted) return price;
  }
  return undefined;
}
