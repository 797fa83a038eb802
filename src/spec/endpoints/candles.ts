import { z } from "zod";
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

/** Resolution codes (§4.3) and seconds in an interval; a month has 30 days. Aligned to the epoch in UTC, weeks to Monday (D32). */
export const resolutionSec = {
  "1": 60,
  "5": 300,
  "15": 900,
  "30": 1800,
  "60": 3600,
  "120": 7200,
  "240": 14_400,
  "480": 28_800,
  "720": 43_200,
  "1D": 86_400,
  "3D": 259_200,
  "1W": 604_800,
  "1M": 2_592_000,
} as const;
export type Resolution = keyof typeof resolutionSec;

export const resolutions = Object.keys(resolutionSec) as readonly Resolution[];

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
