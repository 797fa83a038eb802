import { z } from "zod";
import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { listLimits } from "../limits.ts";
import { counter, responseDecimal, marketIdText, queryInteger, timeMs } from "../fields.ts";
import { list } from "../list.ts";

const level = z.object({ price: responseDecimal, quantity: responseDecimal });
const levels = list(level, listLimits.depth.max);

/** §2.11: aggregated levels; the highest bid and the lowest ask come first. */
export const orderBook = z.object({
  bids: levels,
  asks: levels,
  updatedAt: timeMs,
  lastUpdatedId: counter,
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
  limits: answerLimits(2 * listLimits.depth.max, { rowBytes: 192, rowValues: 4 }),
});
