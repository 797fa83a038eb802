import { ok } from "../../base/result.ts";
import type { ticker as endpoint } from "../../spec/endpoints/ticker.ts";
import { failure } from "../failure.ts";
import type { Handler } from "../handler.ts";
import { knownMarket } from "../known-market.ts";
import { tickers } from "../tickers.ts";

export const ticker: Handler<typeof endpoint> = (context, query) => {
  const all = tickers(context);
  if (query.marketId === undefined) return ok(all);
  const marketId = knownMarket(context, query.marketId);
  if (!marketId.ok) return marketId;
  const found = all.filter((line) => line.marketId === marketId.value);
  // An unlisted market is in /market but has no ticker (D12).
  return found.length > 0 ? ok(found) : failure(404, `Market ${query.marketId} is not listed.`);
};
