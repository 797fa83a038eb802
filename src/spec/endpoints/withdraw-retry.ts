import { z } from "zod";
import { defineEndpoint, noQuery } from "../endpoint.ts";
import { hashText } from "../fields.ts";

/** Result of `retry` when somebody else executed the withdrawal on layer 1 (§4.1). */
export const EXECUTED_ELSEWHERE = "0x0";

export const withdrawRetry = defineEndpoint({
  name: "withdraw-retry",
  section: "§4.1",
  summary:
    "Retries a withdrawal that failed on layer 1; returns the layer-1 hash, or 0x0 when somebody else executed it.",
  method: "POST",
  path: "/api/v1/wallet/withdraw/retry",
  query: noQuery,
  body: z.object({
    /** Hash of the withdrawal's layer-2 transaction. */
    txHash: hashText,
  }),
  result: z.union([z.literal(EXECUTED_ELSEWHERE), hashText]),
});
