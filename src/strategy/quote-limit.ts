import type { Side } from "../domain/side.ts";
import type { Decimal } from "../domain/decimal.ts";
import type { WantedQuote } from "./contract.ts";
import type { MarketView } from "./view.ts";

/** A rule that leaves quotes out. It never moves them, since levels would pile up at the limit. */
export interface QuoteLimit {
  /** The reason shown when this rule removed the last quote of a side. */
  readonly reason: string;
  /** Called once for each quote, best first. */
  allows(quote: WantedQuote): boolean;
}

/** What is left of a side's quotes, and why it is less than wanted: the reason of a decision. */
export interface LimitedQuotes {
  readonly quotes: readonly WantedQuote[];
  readonly reason: string | undefined;
}

/** The quotes that every limit allows; without any left, and no reason yet, the reason of the last limit that removed one. */
export function withinLimits(
  { quotes, reason }: LimitedQuotes,
  limits: readonly QuoteLimit[],
): LimitedQuotes {
  const left: WantedQuote[] = [];
  let last = -1;
  for (const quote of quotes) {
    const forbids = limits.findIndex((limit) => !limit.allows(quote));
    if (forbids < 0) left.push(quote);
    else last = Math.max(last, forbids);
  }
  return { quotes: left, reason: reason ?? (left.length > 0 ? undefined : limits[last]?.reason) };
}

/** `minPrice`, `maxPrice` and `movingBand` of `limitParams`: a bid that is too high, an ask that is too low. */
export function priceLimits(
  side: Side,
  limits: {
    readonly minPrice?: number | undefined;
    readonly maxPrice?: number | undefined;
    readonly movingBand?: number | undefined;
  },
  bandCentre: number,
): readonly QuoteLimit[] {
  const { minPrice = 0, maxPrice = Number.POSITIVE_INFINITY, movingBand } = limits;
  const width = movingBand === undefined ? Number.POSITIVE_INFINITY : movingBand * bandCentre;
  return side === "BUY"
    ? [
        { reason: "above maxPrice", allows: ({ price }) => price <= maxPrice },
        { reason: "above the moving band", allows: ({ price }) => price <= bandCentre + width },
      ]
    : [
        { reason: "below minPrice", allows: ({ price }) => price >= minPrice },
        { reason: "below the moving band", allows: ({ price }) => price >= bandCentre - width },
      ];
}

/** The smallest order of the market, and prices above 0. */
export function smallestOrder(view: Pick<MarketView, "minSize">): QuoteLimit {
  // Levels often share one size and one smallest size.
  let known: { readonly size: WantedQuote["size"]; readonly least: Decimal } | undefined;
  return {
    reason: "smaller than the smallest order",
    allows({ price, size }) {
      if (!(price > 0)) return false;
      const least = view.minSize(price);
      if (known?.size === size && known.least === least) return true;
      if (!least.lte(size)) return false;
      known = { size, least };
      return true;
    },
  };
}
