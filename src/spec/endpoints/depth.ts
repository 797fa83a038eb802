import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";
import { listLimits } from "../limits.ts";
import { responseDecimal, integer, marketIdText, queryInteger, timeMs } from "../fields.ts";

const level = z.object({ price: responseDecimal, quantity: responseDecimal });

/** §2.11: aggregated levels; the highest bid and the lowest ask come first. */
export const orderBook = z.object({
  bids: z.array(level),
  asks: z.array(level),
  updatedAt: timeMs,
  lastUpdatedId: integer,
});
export type WireOrderBook = z.output<typeof orderBook>;

export const depth = defineEndpoint({
  name: "depth",
  section: "§4.3",
  summary: "The order book of a market.",
  method: "GET",
  path: "/api/v1/market/depth",
  query: z.object({
    marketId: marketIdText,
    /** Levels on each side. */
    limit: queryInteger({ min: 1, max: listLimits.depth.max }).default(listLimits.depth.default),
  }),
  result: orderBook,
});
