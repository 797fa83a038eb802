import { ok, type Result } from "../base/result.ts";
import type { MarketId } from "../domain/ids.ts";
import { failure, type Failure } from "./failure.ts";
import type { VenueContext } from "./venue-context.ts";

/** The market with this id, or a 404 failure. */
export function knownMarket(context: VenueContext, text: string): Result<MarketId, Failure> {
  const marketId = text as MarketId;
  return context.exchange.hasMarket(marketId)
    ? ok(marketId)
    : failure(404, `There is no market ${text}.`);
}
