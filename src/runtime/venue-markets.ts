import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { VenueMarkets } from "../gateway/venue-markets.ts";
import type { KernelSettings } from "./kernel-config.ts";

/** Of a venue's markets those that the strategies trade. Throws `MARKET_UNKNOWN`, `MARKET_NOT_LISTED`. */
export function marketsOf(
  settings: Pick<KernelSettings, "strategies">,
  { markets, isPaperVenue }: VenueMarkets,
): VenueMarkets {
  for (const { name, marketId } of settings.strategies) {
    const market = markets.find((candidate) => candidate.marketId === marketId);
    if (market === undefined) {
      throw new TouchlineError(
        "MARKET_UNKNOWN",
        `The venue has no market ${marketId}, which strategy ${name} is to trade.`,
        { hint: "`touchline market list` shows what it has." },
      );
    }
    if (!market.listed) {
      throw new TouchlineError(
        "MARKET_NOT_LISTED",
        `Market ${marketId} (${market.ticker}) is not active at the venue; strategy ${name} cannot trade it.`,
      );
    }
  }
  // Only what the strategies need: the journal repeats it in each segment.
  const wanted = new Set(settings.strategies.map(({ marketId }) => marketId));
  return {
    markets: markets.filter(({ marketId }) => wanted.has(marketId)),
    isPaperVenue,
  };
}

export function knownMarket(markets: readonly Market[], marketId: MarketId): Market {
  const market = markets.find((candidate) => candidate.marketId === marketId);
  if (market === undefined) throw new TouchlineError("MARKET_UNKNOWN", `No market ${marketId}.`);
  return market;
}
