import { Decimal } from "../domain/decimal.ts";
import type { Side } from "../domain/side.ts";
import type { WantedQuote } from "./contract.ts";
import type { MarketView } from "./view.ts";

/**
 * The quotes of a side, best first, cut to what the account can pay for: what is free and what the strategy's own orders of that side hold.
 * One that nothing is left for gets size 0. All of them while the balance is not known.
 */
export function withinBalance(
  quotes: readonly WantedQuote[],
  side: Side,
  view: Pick<MarketView, "balance" | "orders">,
): readonly WantedQuote[] {
  const isBid = side === "BUY";
  const balance = view.balance(isBid ? "quote" : "base");
  if (balance === undefined) return quotes;
  const costOf = (price: number): number => (isBid ? price : 1);
  let wanted = 0;
  for (const { price, size } of quotes) {
    // Number() of a Decimal goes by its text.
    wanted += costOf(price) * (typeof size === "string" ? Number(size) : size.toNumber());
  }
  // Exact sums are slow, and most accounts have plenty.
  if (balance.free.toNumber() > 1.001 * wanted) return quotes;
  let left = view.orders
    .filter((order) => order.side === side)
    .reduce((sum, { price, remaining }) => sum.plus(remaining.times(costOf(price))), balance.free);
  return quotes.map((quote) => {
    const cost = costOf(quote.price);
    const most = Decimal.max(left, 0).div(cost).toDecimalPlaces(18, Decimal.ROUND_DOWN);
    const size = Decimal.min(quote.size, most);
    left = left.minus(size.times(cost));
    return size.eq(quote.size) ? quote : { ...quote, size };
  });
}
