import { TouchlineError } from "../base/error.ts";
import type { VenueMarkets } from "../gateway/venue-markets.ts";
import type { KernelSettings } from "./kernel-config.ts";

/** Selects the markets that the strategies trade. Throws TouchlineError `MARKET_UNKNOWN` or `MARKET_NOT_LISTED`. */
export function tradedMarkets(
  settings: Pick<KernelSettings, "strategies">,
  { markets, isPaperVenue }: VenueMarkets,
): VenueMarkets {
  for (const { name, marketId } of settings.strategies) {
    const market = markets.find((candidate) => candidate.marketId === marketId);
    if (market === undefined) {
      throw new TouchlineError(
        "MARKET_UNKNOWN",
        `The venue has no market ${marketId}, which strategy ${name} trades.`,
        { hint: "`touchline market list` shows the venue's markets." },
      );
    }
    if (!market.listed) {
      throw new TouchlineError(
        "MARKET_NOT_LISTED",
        `Market ${marketId} (${market.ticker}) is not active at the venue; strategy ${name} cannot trade it.`,
      );
    }
  }
  // The journal repeats the markets in each segment, so the others are left out.
  const wanted = new Set(settings.strategies.map(({ marketId }) => marketId));
  return {
    markets: markets.filter(({ marketId }) => wanted.has(marketId)),
    isPaperVenue,
  };
}
