import { z } from "zod";
import { answerLimits, OPEN_LIST_MAX } from "../answer-limits.ts";
import { defineEndpoint, noQuery } from "../endpoint.ts";
import {
  freeText,
  responseFee,
  integer,
  responseMarketId,
  responseTokenId,
  shownText,
} from "../fields.ts";
import { list } from "../list.ts";

/** §2.7. `createdAt` and `updatedAt` are ISO text, unlike elsewhere (§1.3). */
export const marketRecord = z.object({
  marketId: responseMarketId,
  description: shownText(),
  baseTokenId: responseTokenId,
  quoteTokenId: responseTokenId,
  exchange: shownText(),
  ticker: shownText(60),
  type: freeText,
  minmov: integer,
  pricescale: integer,
  session: freeText,
  hasIntraday: z.boolean(),
  hasEmptyBars: z.boolean(),
  takerFee: responseFee,
  makerFee: responseFee,
  listed: z.boolean(),
  logoUrls: freeText,
  isDefaultMakerFee: z.boolean(),
  isDefaultTakerFee: z.boolean(),
  createdAt: freeText,
  updatedAt: freeText,
});
export type WireMarket = z.output<typeof marketRecord>;

export const market = defineEndpoint({
  name: "market",
  section: "§4.3",
  summary: "All markets, with their fees and whether they are listed.",
  method: "GET",
  path: "/api/v1/market",
  query: noQuery,
  result: list(marketRecord, OPEN_LIST_MAX),
  limits: answerLimits(OPEN_LIST_MAX),
});
