import { z } from "zod";
import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { marketIdText, queryInteger } from "../fields.ts";
import { listLimits } from "../limits.ts";
import { publicTrade } from "../resources.ts";
import { list } from "../list.ts";

const { default: usual, max } = listLimits.publicTrades;

export const trades = defineEndpoint({
  name: "trades",
  section: "§4.3",
  summary: "Recent trades of a market, newest first.",
  method: "GET",
  path: "/api/v1/market/trades",
  query: z.object({ marketId: marketIdText, limit: queryInteger({ min: 1, max }).default(usual) }),
  result: list(publicTrade, max),
  limits: answerLimits(max),
});
