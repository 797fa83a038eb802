import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";
import {
  addressText,
  responseDecimal,
  hashText,
  integer,
  queryInteger,
  queryTokenId,
  shownText,
  timeMs,
  tokenIdText,
} from "../fields.ts";
import { listLimits } from "../limits.ts";

const { default: usual, max } = listLimits.transfers;

/** §2.4. The interface does not list all values of `txType` and `status`, so clients accept any text; ours are those of D34. */
export const transferRecord = z.object({
  id: integer,
  fromAddress: addressText,
  toAddress: addressText,
  txType: shownText(60),
  tokenId: tokenIdText,
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
  result: z.array(transferRecord),
});
