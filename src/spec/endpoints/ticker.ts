import { z } from "zod";
import { answerLimits, OPEN_LIST_MAX } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { marketIdText } from "../fields.ts";
import { tickerRecord } from "../resources.ts";
import { list } from "../list.ts";

export const ticker = defineEndpoint({
  name: "ticker",
  section: "§4.3",
  summary: "24-hour tickers: of one market, or of all markets without `marketId`.",
  method: "GET",
  path: "/api/v1/market/ticker",
  query: z.object({ marketId: marketIdText.optional() }),
  result: list(tickerRecord, OPEN_LIST_MAX),
  limits: answerLimits(OPEN_LIST_MAX),
});
