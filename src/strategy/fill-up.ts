import { Decimal } from "../domain/decimal.ts";
import type { WantedQuote } from "./contract.ts";
import type { RequoteLimits } from "./requote.ts";
import type { MarketView, OwnOrder } from "./view.ts";

/** As for `setQuotes`. */
interface FillUpLimits extends RequoteLimits {
  readonly sizeTolerance: number;
  readonly mid: number;
}

/**
 * Keeps partly filled orders of a side in their places: each takes a quote whose price it fits, and a second quote has the rest of its
 * size where that is more than `sizeTolerance` and than the smallest order.
 */
export function fillUp(
  quotes: readonly WantedQuote[],
  orders: readonly OwnOrder[],
  limits: FillUpLimits,
  { minSize }: Pick<MarketView, "minSize">,
): readonly WantedQuote[] {
  const begun = orders.filter(
    ({ executed, isLeaving, tpsl }) => !executed.isZero() && !isLeaving && tpsl === undefined,
  );
  if (begun.length === 0) return quotes;
  return quotes.flatMap((quote) => {
    const size = new Decimal(quote.size);
    const short = (order: OwnOrder): Decimal => size.minus(order.remaining);
    const at = begun.findIndex(
      (order) =>
        short(order).gt(size.times(limits.sizeTolerance)) &&
        short(order).gte(minSize(quote.price)) &&
        isNear(order, quote.price, limits),
    );
    const [order] = at < 0 ? [] : begun.splice(at, 1);
    if (order === undefined) return [quote];
    const { price, remaining, id } = order;
    return [
      { price, size: remaining, order: id },
      { ...quote, size: short(order) },
    ];
  });
}

function isNear(
  { side, price }: OwnOrder,
  wanted: number,
  { tolerance, fartherTolerance, mid }: FillUpLimits,
): boolean {
  const nearer = side === "BUY" ? price - wanted : wanted - price;
  return nearer <= tolerance * mid && -nearer <= fartherTolerance * mid;
}
