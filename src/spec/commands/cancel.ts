import { z } from "zod";
import { defineCommand } from "../command.ts";
import { contextOrderId } from "../context-values.ts";
import { addressText, hashText } from "../fields.ts";

export const cancel = defineCommand({
  name: "cancel",
  section: "§4.4",
  summary: "Cancels one order by its hash.",
  byte: 0x22,
  paths: ["/api/v1/order/cancel"],
  context: z.strictObject({ l1owner: addressText, orderId: hashText }),
  sessionMaySign: true,
  decode: ({ orderId }) => ({ type: "cancel", orderId: contextOrderId(orderId) }),
});
