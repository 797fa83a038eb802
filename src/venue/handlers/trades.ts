import { ok } from "../../base/result.ts";
import type { trades as endpoint } from "../../spec/endpoints/trades.ts";
import type { Handler } from "../handler.ts";
import { knownMarket } from "../known-market.ts";
import { wirePublicTrade } from "../wire.ts";

export const trades: Handler<typeof endpoint> = (context, query) => {
  const marketId = knownMarket(context, query.marketId);
  if (!marketId.ok) return marketId;
  return ok(context.exchange.publicTrades(marketId.value, query.limit).map(wirePublicTrade));
};
