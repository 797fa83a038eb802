import { partsOf } from "../domain/market-roles.ts";
import { TouchlineError } from "../base/error.ts";
import type { VenueMarkets } from "../gateway/venue-markets.ts";
import type { KernelSettings } from "./kernel-config.ts";

/** Selects the markets that the strategies trade, and those whose books are price sources. Throws TouchlineError `MARKET_UNKNOWN` or `MARKET_NOT_LISTED`. */
export function tradedMarkets(
  settings: Pick<KernelSettings, "strategies" | "sources">,
  { markets, isPaperVenue }: VenueMarkets,
): VenueMarkets {
  const sourced = (settings.sources ?? []).flatMap(({ name, origin }) =>
    origin.type === "market" ? [{ who: `source ${name}`, marketId: origin.marketId }] : [],
  );
  const traded = partsOf(settings.strategies).map(({ strategy, marketId }) => ({
    who: `strategy ${strategy}`,
    marketId,
  }));
  for (const { who, marketId } of [...traded, ...sourced]) {
    const market = markets.find((candidate) => candidate.marketId === marketId);
    if (market === undefined) {
      throw new TouchlineError(
        "MARKET_UNKNOWN",
        `The venue has no market ${marketId}, which ${who} uses.`,
        { hint: "`touchline market list` shows the venue's markets." },
      );
    }
    if (!market.listed) {
      throw new TouchlineError(
        "MARKET_NOT_LISTED",
        `Market ${marketId} (${market.ticker}) is not active at the venue; ${who} cannot use it.`,
      );
    }
  }
  // The journal repeats the markets in each segment, so the others are left out.
  const wanted = new Set([...traded, ...sourced].map(({ marketId }) => marketId));
  return {
    markets: markets.filter(({ marketId }) => wanted.has(marketId)),
    isPaperVenue,
  };
}
