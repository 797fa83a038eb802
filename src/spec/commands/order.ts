import { z } from "zod";
import { fixed } from "../../domain/fixed.ts";
import { defineCommand } from "../command.ts";
import { optionalAmount, orderTerms } from "../context-values.ts";
import { addressText, contextPrice, contextQuantity, tokenIdText, zeroOrOne } from "../fields.ts";

/** Take profit and stop loss of a limit order (§4.4), always together. Without `slLimit` the stop loss is a market order. */
const tpsl = z.strictObject({
  tpLimit: contextPrice,
  slTrigger: contextPrice,
  slLimit: contextPrice.optional(),
});

export type WireTpsl = z.output<typeof tpsl>;

function decodeTpsl({ tpLimit, slTrigger, slLimit }: WireTpsl) {
  return {
    tpLimit: fixed(tpLimit),
    slTrigger: fixed(slTrigger),
    slLimit: optionalAmount(slLimit),
  };
}

/** OrderContext (§4.4). */
export const order = defineCommand({
  name: "order",
  section: "§4.4",
  summary: "Places a limit or market order; its id is the hash of the transaction.",
  byte: 0x21,
  paths: ["/api/v1/order"],
  context: z
    .strictObject({
      l1owner: addressText,
      baseToken: tokenIdText,
      quoteToken: tokenIdText,
      /** 0 buy, 1 sell. */
      side: zeroOrOne,
      /** `0` for market orders. */
      price: contextPrice,
      /** In base token; in quote token when `orderMode` is 1. */
      quantity: contextQuantity,
      /** 0 limit, 1 market. */
      orderType: zeroOrOne,
      /** 1 for market orders only; the matching engine rejects a limit order with 1 (D12). */
      orderMode: zeroOrOne,
      tpsl: tpsl.optional(),
    })
    .refine(
      (context) => context.tpsl === undefined || context.orderType === 0,
      "has tpsl on a market order, it belongs to limit orders",
    ),
  sessionMaySign: true,
  decode: (context) => ({
    type: "place",
    ...orderTerms(context),
    tpsl: context.tpsl === undefined ? undefined : decodeTpsl(context.tpsl),
  }),
});
