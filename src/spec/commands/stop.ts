import { z } from "zod";
import { fixed } from "../../domain/fixed.ts";
import { defineCommand } from "../command.ts";
import { orderTerms } from "../context-values.ts";
import { addressText, contextPrice, contextQuantity, tokenIdText, zeroOrOne } from "../fields.ts";

/** StopOrderContext (§4.4). */
export const stop = defineCommand({
  name: "stop",
  section: "§4.4",
  summary:
    "Places an order that waits for a trade at its stop price; its id is the hash of the transaction.",
  byte: 0x25,
  paths: ["/api/v1/order/trigger"],
  context: z.strictObject({
    l1owner: addressText,
    baseToken: tokenIdText,
    quoteToken: tokenIdText,
    stopPrice: contextPrice,
    /** Price of the limit order that it becomes; `0` for a market order. */
    price: contextPrice,
    /** In base token; in quote token when `orderMode` is 1. */
    quantity: contextQuantity,
    /** 0 buy, 1 sell. */
    side: zeroOrOne,
    /** 0 limit, 1 market. */
    orderType: zeroOrOne,
    orderMode: zeroOrOne,
  }),
  sessionMaySign: true,
  decode: (context) => ({
    type: "stop",
    ...orderTerms(context),
    stopPrice: fixed(context.stopPrice),
  }),
});
