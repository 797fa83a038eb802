import type { WireTicker } from "../spec/resources.ts";
import type { VenueContext } from "./venue-context.ts";
import { wireTicker } from "./wire.ts";

/** Tickers of all listed markets (§2.8, D12), for REST and for the stream. */
export function tickers(context: Pick<VenueContext, "exchange" | "clock">): WireTicker[] {
  const nowMs = context.clock.nowMs();
  return context.exchange.markets
    .filter((market) => market.listed)
    .map((market) => wireTicker(context.exchange.ticker(market.marketId, nowMs), market));
}
