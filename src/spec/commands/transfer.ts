import { z } from "zod";
import { fixed } from "../../domain/fixed.ts";
import { defineCommand } from "../command.ts";
import { contextAddress } from "../context-values.ts";
import { addressText, contextQuantity } from "../fields.ts";

/** Native transfer (0x02). The interface names the command but not its context; this one is assumed (D8). */
export const transfer = defineCommand({
  name: "transfer",
  section: "§4.4",
  summary: "Moves the venue's native token to another layer-2 address.",
  byte: 0x02,
  paths: ["/api/v1/wallet/transfer"],
  context: z.strictObject({ l1owner: addressText, to: addressText, value: contextQuantity }),
  sessionMaySign: false,
  structure: "decided here, not shown by the venue",
  decode: ({ to, value }) => ({ type: "transfer", to: contextAddress(to), amount: fixed(value) }),
});
