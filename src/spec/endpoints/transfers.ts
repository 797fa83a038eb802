import { z } from "zod";
import { answerLimits } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import {
  addressText,
  counter,
  responseDecimal,
  hashText,
  queryInteger,
  queryTokenId,
  shownText,
  timeMs,
  responseTokenId,
} from "../fields.ts";
import { listLimits } from "../limits.ts";
import { list } from "../list.ts";

const { default: usual, max } = listLimits.transfers;

/** §2.4. The interface does not list all values of `txType` and `status`, so clients accept any text; ours are those of D34. */
export const transferRecord = z.object({
  id: counter,
  fromAddress: addressText,
  toAddress: addressText,
  txType: shownText(60),
  tokenId: responseTokenId,
  amount: responseDecimal,
  status: shownText(60),
  timestamp: timeMs,
  hash: hashText,
});
export type WireTransfer = z.output<typeof transferRecord>;

export const transfers = defineEndpoint({
  name: "transfers",
  section: "§4.1",
  summary: "Transfers from and to an address, newest first.",
  method: "GET",
  path: "/api/v1/wallet/transfer",
  query: z.object({
    address: addressText,
    /** Absent means all tokens. */
    token_id: queryTokenId.optional(),
    from: queryInteger().default(0),
    /** Absent means now. */
    to: queryInteger().optional(),
    limit: queryInteger({ min: 1, max }).default(usual),
  }),
  result: list(transferRecord, max),
  limits: answerLimits(max),
});
