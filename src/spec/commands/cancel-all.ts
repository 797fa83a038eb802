import { z } from "zod";
import { defineCommand } from "../command.ts";
import { addressText } from "../fields.ts";

export const cancelAll = defineCommand({
  name: "cancel-all",
  section: "§4.4",
  summary: "Cancels all orders of an address.",
  byte: 0x23,
  paths: ["/api/v1/order/cancel/all"],
  context: z.strictObject({ l1owner: addressText }),
  sessionMaySign: true,
  decode: () => ({ type: "cancel-all" }),
});
