import { z } from "zod";
import { fixed } from "../../domain/fixed.ts";
import { tokenId } from "../../domain/ids.ts";
import { defineCommand } from "../command.ts";
import { contextAddress } from "../context-values.ts";
import { addressText, contextQuantity, tokenIdText } from "../fields.ts";

/** TransferContext (§4.4). */
export const tokenTransfer = defineCommand({
  name: "token-transfer",
  section: "§4.4",
  summary: "Moves any token to another layer-2 address.",
  byte: 0x11,
  paths: ["/api/v1/wallet/transfer"],
  context: z.strictObject({
    l1owner: addressText,
    to: addressText,
    token: tokenIdText,
    value: contextQuantity,
  }),
  sessionMaySign: false,
  decode: ({ to, token, value }) => ({
    type: "token-transfer",
    to: contextAddress(to),
    tokenId: tokenId(token),
    amount: fixed(value),
  }),
});
