import { z } from "zod";
import { defineCommand } from "../command.ts";
import { contextOrderId, optionalAmount } from "../context-values.ts";
import { addressText, contextPrice, contextQuantity, hashText } from "../fields.ts";

/** ModifyContext (§4.4): null or absent keeps the current value, and at least one must be given (D23). */
export const modify = defineCommand({
  name: "modify",
  section: "§4.4",
  summary: "Cancels an order and places its replacement, whose id is the hash of this transaction.",
  byte: 0x24,
  paths: ["/api/v1/order/modify"],
  context: z
    .strictObject({
      l1owner: addressText,
      orderId: hashText,
      newPrice: contextPrice.nullish(),
      /** The new total quantity, including what has been executed (D23). */
      newQty: contextQuantity.nullish(),
    })
    .refine(
      (context) => (context.newPrice ?? context.newQty ?? undefined) !== undefined,
      "has neither newPrice nor newQty",
    ),
  sessionMaySign: true,
  decode: ({ orderId, newPrice, newQty }) => ({
    type: "modify",
    orderId: contextOrderId(orderId),
    price: optionalAmount(newPrice),
    quantity: optionalAmount(newQty),
  }),
});
