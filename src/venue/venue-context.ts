import type { Clock } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { VenueConfig } from "./config.ts";
import type { RateLimit } from "./rate-limit.ts";

/** What handlers and streams work with. */
export interface VenueContext {
  readonly config: VenueConfig;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly rateLimit: RateLimit;
  readonly startedAtMs: UnixMs;
}

/** Ids of the markets that stand among the tickers (D12). */
export function listedMarkets(context: VenueContext): readonly MarketId[] {
  return context.exchange.markets
    .filter((market) => market.listed)
    .map((market) => market.marketId);
}
