import { z } from "zod";
import { answerLimits, OPEN_LIST_MAX } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { addressText, counter, responseDecimal, responseTokenId } from "../fields.ts";
import { list } from "../list.ts";

/** §2.2. */
export const tokenBalance = z.object({
  tokenId: responseTokenId,
  /** Reserved for open orders. */
  locked: responseDecimal,
  unlocked: responseDecimal,
});
export type WireBalance = z.output<typeof tokenBalance>;

export const balance = defineEndpoint({
  name: "balance",
  section: "§4.1",
  summary: "All balances of an address, and the block they were read at.",
  method: "GET",
  path: "/api/v1/wallet/balance",
  query: z.object({ address: addressText }),
  result: z.object({
    balances: list(tokenBalance, OPEN_LIST_MAX),
    blockNumber: counter,
  }),
  limits: answerLimits(OPEN_LIST_MAX),
});
