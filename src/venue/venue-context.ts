import type { Clock } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { VenueConfig } from "./config.ts";
import type { RequestRateLimit } from "./rate-limit.ts";
import type { Settlements } from "./settlements.ts";

/** What handlers and streams work with. */
export interface VenueContext {
  readonly config: VenueConfig;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly rateLimit: RequestRateLimit;
  /** The layer 1 that the venue plays. */
  readonly settlements: Settlements;
  /** When this venue first started. */
  readonly startedAtMs: UnixMs;
  /** Puts on disk what has happened so far, for whoever tells of it without having been asked. */
  settle(): void;
}

/** Ids of the markets that stand among the tickers (D12). */
export function listedMarkets(context: VenueContext): readonly MarketId[] {
  return context.exchange.markets
    .filter((market) => market.listed)
    .map((market) => market.marketId);
}
