import { ok } from "../../base/result.ts";
import { fixedText } from "../../domain/fixed.ts";
import { priceText } from "../../domain/price.ts";
import type { DepthLevel } from "../../exchange/records.ts";
import type { depth as endpoint } from "../../spec/endpoints/depth.ts";
import type { Handler } from "../handler.ts";
import { knownMarket } from "../known-market.ts";

export const depth: Handler<typeof endpoint> = (context, query) => {
  const marketId = knownMarket(context, query.marketId);
  if (!marketId.ok) return marketId;
  const book = context.exchange.book(marketId.value, query.limit);
  return ok({
    bids: book.bids.map(wireLevel),
    asks: book.asks.map(wireLevel),
    // A book without changes has the time of the venue's first start.
    updatedAt: book.lastId === 0 ? context.startedAtMs : book.updatedAtMs,
    lastUpdatedId: book.lastId,
  });
};

function wireLevel(level: DepthLevel): { price: string; quantity: string } {
  return { price: priceText(level.price), quantity: fixedText(level.quantity) };
}
