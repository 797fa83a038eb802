import { z } from "zod";
import { answerLimits, OPEN_LIST_MAX } from "../answer-limits.ts";
import { defineEndpoint, noQuery } from "../endpoint.ts";
import { freeText, integer, responseTokenId, shownText } from "../fields.ts";
import { list } from "../list.ts";

/** §2.9. `l1Address` may be any text: a native token may have no address. */
export const tokenRecord = z.object({
  tokenId: responseTokenId,
  l1Address: freeText,
  l1Symbol: shownText(60),
  l1Name: shownText(),
  l1Decimal: integer,
  l2Symbol: shownText(60),
  l2Name: shownText(),
  image: freeText,
});

export const tokens = defineEndpoint({
  name: "tokens",
  section: "§4.3",
  summary: "All listed tokens.",
  method: "GET",
  path: "/api/v1/market/tokens",
  query: noQuery,
  result: list(tokenRecord, OPEN_LIST_MAX),
  limits: answerLimits(OPEN_LIST_MAX),
});
