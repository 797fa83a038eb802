import { z } from "zod";
import { fixed } from "../../domain/fixed.ts";
import { tokenId } from "../../domain/ids.ts";
import { defineCommand } from "../command.ts";
import { contextAddress } from "../context-values.ts";
import { addressText, contextQuantity, tokenIdText } from "../fields.ts";

/** Withdrawal. The interface shows neither its byte nor its context (§4.1); these are assumed, and the byte is configurable (D9). */
export const withdraw = defineCommand({
  name: "withdraw",
  section: "§4.1",
  summary: "Moves a token from layer 2 to a layer-1 address.",
  byte: 0x12,
  paths: ["/api/v1/wallet/withdraw"],
  context: z.strictObject({
    l1owner: addressText,
    /** Address on layer 1. */
    to: addressText,
    token: tokenIdText,
    value: contextQuantity,
  }),
  sessionMaySign: false,
  structure: "decided here, not shown by the venue",
  decode: ({ to, token, value }) => ({
    type: "withdraw",
    to: contextAddress(to),
    tokenId: tokenId(token),
    amount: fixed(value),
  }),
});
