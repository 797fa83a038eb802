import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { type MarketId, tokensOf } from "../domain/ids.ts";
import { isMarketId } from "../domain/market-of-ticker.ts";
import { sideCode, type Side } from "../domain/side.ts";
import { order } from "../spec/commands/order.ts";
import type { stop } from "../spec/commands/stop.ts";
import { contextQuantity } from "../spec/fields.ts";
import { problemOf } from "../spec/problem.ts";
import type { ContextInput } from "./sign-transaction.ts";

/**
 * Command contexts of the usual orders. Prices and quantities are text, as on the wire. Programs in plain JavaScript call these, so what is
 * not exactly one of the allowed values is refused (`CONTEXT_INVALID`) and never read as another one.
 */

const marketId = z.string().refine(isMarketId, "is not a market id like 1_2");
const marketAndSide = { marketId, side: z.literal(["BUY", "SELL"]) };
const quantity = contextQuantity;
/** As a quantity, a price of a limit order or a stop is not 0. */
const price = contextQuantity;
const amount = { quantity: quantity.optional(), quoteQuantity: quantity.optional() };

function hasOneAmount(terms: { readonly quantity?: unknown; readonly quoteQuantity?: unknown }) {
  return (terms.quantity === undefined) !== (terms.quoteQuantity === undefined);
}
const oneAmount = "needs one of quantity and quoteQuantity";

const limitTerms = z.strictObject({
  ...marketAndSide,
  price,
  quantity,
  tpsl: order.context.shape.tpsl,
});
const marketTerms = z.strictObject({ ...marketAndSide, ...amount }).refine(hasOneAmount, oneAmount);
const stopTerms = z
  .strictObject({ ...marketAndSide, stopPrice: price, price: price.optional(), ...amount })
  .refine(hasOneAmount, oneAmount)
  .refine(
    (terms) => terms.price === undefined || terms.quantity !== undefined,
    "has a price and quoteQuantity: the quantity of a limit order is in base token",
  );

export interface LimitOrder {
  /** `1_2` */
  readonly marketId: string;
  readonly side: Side;
  readonly price: string;
  /** In base token. */
  readonly quantity: string;
  /** Take profit and stop loss, placed when the order is filled (§4.4, D25). */
  readonly tpsl?: ContextInput<typeof order>["tpsl"] | undefined;
}

/** `quantity` in base token, or `quoteQuantity` in quote token. */
type Amount =
  | { readonly quantity: string; readonly quoteQuantity?: undefined }
  | { readonly quantity?: undefined; readonly quoteQuantity: string };

export type MarketOrder = { readonly marketId: string; readonly side: Side } & Amount;

/** When it triggers, it becomes a limit order if it has a `price`, else a market order. */
export type StopOrder = {
  readonly marketId: string;
  readonly side: Side;
  readonly stopPrice: string;
} & (
  | { readonly price: string; readonly quantity: string; readonly quoteQuantity?: undefined }
  | ({ readonly price?: undefined } & Amount)
);

export function limitOrder(given: LimitOrder): ContextInput<typeof order> {
  const terms = checked("limitOrder", limitTerms, given);
  const { tpsl } = terms;
  return {
    ...tokensAndSide(terms),
    price: terms.price,
    quantity: terms.quantity,
    orderType: 0,
    orderMode: 0,
    ...(tpsl === undefined ? {} : { tpsl }),
  };
}

export function marketOrder(given: MarketOrder): ContextInput<typeof order> {
  const terms = checked("marketOrder", marketTerms, given);
  return { ...tokensAndSide(terms), price: "0", orderType: 1, ...quantityFields(terms) };
}

export function stopOrder(given: StopOrder): ContextInput<typeof stop> {
  const terms = checked("stopOrder", stopTerms, given);
  return {
    ...tokensAndSide(terms),
    stopPrice: terms.stopPrice,
    price: terms.price ?? "0",
    orderType: terms.price === undefined ? 1 : 0,
    ...quantityFields(terms),
  };
}

function checked<Terms extends z.ZodObject>(
  name: string,
  schema: Terms,
  given: object,
): z.output<Terms> {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new TouchlineError("CONTEXT_INVALID", `${problemOf(parsed.error, name)}.`, {
    hint: `${name} takes ${Object.keys(schema.shape).join(", ")}.`,
  });
}

function tokensAndSide({ marketId, side }: { readonly marketId: string; readonly side: Side }) {
  const { base, quote } = tokensOf(marketId as MarketId);
  return { baseToken: base as string, quoteToken: quote as string, side: sideCode(side) };
}

/** A quantity in base token, or with `isQuote` in quote token. */
export function amountOf(quantity: string, isQuote: boolean): Amount {
  return isQuote ? { quoteQuantity: quantity } : { quantity };
}

function quantityFields(terms: {
  readonly quantity?: string | undefined;
  readonly quoteQuantity?: string | undefined;
}): { readonly quantity: string; readonly orderMode: 0 | 1 } {
  const { quantity: base, quoteQuantity: quote } = terms;
  return base === undefined
    ? { quantity: quote ?? "", orderMode: 1 }
    : { quantity: base, orderMode: 0 };
}
