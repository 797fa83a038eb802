import { ok } from "../../base/result.ts";
import { fixedText } from "../../domain/fixed.ts";
import type { Market } from "../../domain/market.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { market as endpoint, WireMarket } from "../../spec/endpoints/market.ts";
import { PAPER_VENUE } from "../../spec/paper-venue.ts";
import type { Handler } from "../handler.ts";
import type { VenueContext } from "../venue-context.ts";

export const market: Handler<typeof endpoint> = (context) =>
  ok(context.exchange.markets.map((record) => wireMarket(context, record)));

function wireMarket(context: VenueContext, record: Market): WireMarket {
  const startedAt = new Date(context.startedAtMs).toISOString();
  const { price } = context.exchange.ticker(record.marketId, context.clock.nowMs());
  return {
    marketId: record.marketId,
    description: `${record.ticker} on the paper venue`,
    baseTokenId: record.baseToken,
    quoteTokenId: record.quoteToken,
    exchange: PAPER_VENUE,
    ticker: record.ticker,
    type: "spot",
    minmov: 1,
    // For charts: the grid at the last price, or the finest grid before the first trade.
    pricescale: price === 0 ? 1e8 : Math.max(1, Math.round(1 / rulesOf(record).tickAt(price))),
    session: "24x7",
    hasIntraday: true,
    hasEmptyBars: false,
    takerFee: fixedText(record.takerFee),
    makerFee: fixedText(record.makerFee),
    listed: record.listed,
    logoUrls: "",
    isDefaultMakerFee: true,
    isDefaultTakerFee: true,
    createdAt: startedAt,
    updatedAt: startedAt,
  };
}
