import type { Side } from "../domain/side.ts";
import type { WantedQuote } from "./contract.ts";
import type { MarketView } from "./view.ts";

/** A rule that leaves quotes out. It never moves them, since levels would pile up at the limit. */
export interface QuoteLimit {
  /** The reason shown when this rule removed the last quote of a side. */
  readonly reason: string;
  /** Called once for each quote, best first. */
  allows(quote: WantedQuote): boolean;
}

/** The quotes that every limit allows; `why` is that of the limit that removed the last one. */
export function withinLimits(
  quotes: readonly WantedQuote[],
  limits: readonly QuoteLimit[],
): { readonly quotes: readonly WantedQuote[]; readonly reason: string | undefined } {
  let left = quotes;
  for (const limit of limits) {
    left = left.filter((quote) => limit.allows(quote));
    if (left.length === 0) return { quotes: left, reason: limit.reason };
  }
  return { quotes: left, reason: undefined };
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
  return {
    reason: "smaller than the smallest order",
    allows: ({ price, size }) => price > 0 && view.minSize(price).lte(size),
  };
}
