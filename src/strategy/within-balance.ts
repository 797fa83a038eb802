import { Decimal } from "../domain/decimal.ts";
import type { Side } from "../domain/side.ts";
import type { WantedQuote } from "./contract.ts";
import type { LimitedQuotes } from "./quote-limit.ts";
import type { MarketView } from "./view.ts";

/**
 * The quotes of a side, best first, cut to what the account can pay for: what is free and what the strategy's own orders of that side hold.
 * One that nothing is left for gets size 0. All of them while the balance is not known. The reason says that something was cut.
 */
export function withinBalance(
  quotes: readonly WantedQuote[],
  side: Side,
  view: Pick<MarketView, "balance" | "orders">,
): LimitedQuotes {
  const isBid = side === "BUY";
  const balance = view.balance(isBid ? "quote" : "base");
  if (balance === undefined) return { quotes, reason: undefined };
  const costOf = (price: number): number => (isBid ? price : 1);
  let wanted = 0;
  for (const { price, size } of quotes) {
    // Number() of a Decimal goes by its text.
    wanted += costOf(price) * (typeof size === "string" ? Number(size) : size.toNumber());
  }
  // Exact sums are slow, and most accounts have plenty.
  if (balance.free.toNumber() > 1.001 * wanted) return { quotes, reason: undefined };
  let left = view.orders
    .filter((order) => order.side === side)
    .reduce((sum, { price, remaining }) => sum.plus(remaining.times(costOf(price))), balance.free);
  let reason: string | undefined;
  const paid = quotes.map((quote) => {
    const cost = costOf(quote.price);
    const most = Decimal.max(left, 0).div(cost).toDecimalPlaces(18, Decimal.ROUND_DOWN);
    const size = Decimal.min(quote.size, most);
    left = left.minus(size.times(cost));
    if (size.eq(quote.size)) return quote;
    reason = "the balance does not pay for the whole size";
    return { ...quote, size };
  });
  return { quotes: paid, reason };
}
