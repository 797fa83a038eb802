import { z } from "zod";
import { type Resolution, resolutions } from "../../domain/candle.ts";
import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import {
  counter,
  freeText,
  marketIdText,
  queryInteger,
  responseMarketId,
  timeSec,
} from "../fields.ts";
import { CANDLES_MAX } from "../limits.ts";
import { list } from "../list.ts";

/** §2.12. Prices and volumes are JSON numbers, unlike elsewhere (§1.4). */
export const candle = z.object({
  marketId: responseMarketId,
  resolution: freeText,
  /** Start of the interval. */
  timestamp: timeSec,
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number(),
  quoteVolume: z.number(),
  tradeCount: counter,
});
export type WireCandle = z.output<typeof candle>;

export const candles = defineEndpoint({
  name: "candles",
  section: "§4.3",
  summary: "Candles of a market; at most 1000 intervals a request.",
  method: "GET",
  path: "/market/candles",
  query: z.object({
    marketId: marketIdText,
    resolution: z.enum(resolutions as readonly [Resolution, ...Resolution[]]),
    /** Unix seconds. The default spans more than 1000 intervals of all resolutions but `1M`, so callers should set it (D32). */
    from: queryInteger().default(0),
    /** Unix seconds; absent means now. */
    to: queryInteger().optional(),
  }),
  result: list(candle, CANDLES_MAX),
  limits: answerLimits(CANDLES_MAX),
  envelope: "candles",
});
