import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import { marketFrom } from "../gateway/from-wire.ts";
import type { VenueClient } from "../gateway/venue-client.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { endpoints } from "../spec/endpoints.ts";
import { PAPER_VENUE } from "../spec/paper-venue.ts";
import type { KernelSettings } from "./kernel-config.ts";
import { retryWhileUnreachable } from "../gateway/retry-while-unreachable.ts";

/** The markets of the strategies, as the venue has them, and whether it is our own. */
export async function fetchMarkets(
  client: VenueClient,
  settings: Pick<KernelSettings, "strategies">,
  timer: Timer,
  log: Log,
): Promise<{ readonly markets: readonly Market[]; readonly isPaperVenue: boolean }> {
  const wire = await retryWhileUnreachable(timer, log, async () =>
    client.call(endpoints.market, {}),
  );
  const markets = wire.map(marketFrom);
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
    isPaperVenue: wire.every(({ exchange }) => exchange === PAPER_VENUE),
  };
}

export function knownMarket(markets: readonly Market[], marketId: MarketId): Market {
  const market = markets.find((candidate) => candidate.marketId === marketId);
  if (market === undefined) throw new TouchlineError("MARKET_UNKNOWN", `No market ${marketId}.`);
  return market;
}
