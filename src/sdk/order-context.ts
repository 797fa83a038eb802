import { type MarketId, tokensOf } from "../domain/ids.ts";
import { sideCode, type Side } from "../domain/side.ts";
import type { order } from "../spec/commands/order.ts";
import type { stop } from "../spec/commands/stop.ts";
import type { ContextInput } from "./sign-transaction.ts";

/** Command contexts of the usual orders. Prices and quantities are text, as on the wire. */

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

export function limitOrder(terms: LimitOrder): ContextInput<typeof order> {
  const { tpsl } = terms;
  return {
    ...marketAndSide(terms),
    price: terms.price,
    quantity: terms.quantity,
    orderType: 0,
    orderMode: 0,
    ...(tpsl === undefined ? {} : { tpsl }),
  };
}

export function marketOrder(terms: MarketOrder): ContextInput<typeof order> {
  return { ...marketAndSide(terms), price: "0", orderType: 1, ...quantityFields(terms) };
}

export function stopOrder(terms: StopOrder): ContextInput<typeof stop> {
  const { stopPrice, price } = terms;
  return {
    ...marketAndSide(terms),
    stopPrice,
    price: price ?? "0",
    orderType: price === undefined ? 1 : 0,
    ...quantityFields(terms),
  };
}

function marketAndSide({ marketId, side }: { readonly marketId: string; readonly side: Side }) {
  const { base, quote } = tokensOf(marketId as MarketId);
  return { baseToken: base as string, quoteToken: quote as string, side: sideCode(side) };
}

/** A quantity in base token, or with `isQuote` in quote token. */
export function amountOf(quantity: string, isQuote: boolean): Amount {
  return isQuote ? { quoteQuantity: quantity } : { quantity };
}

function quantityFields({ quantity, quoteQuantity }: Amount): {
  readonly quantity: string;
  readonly orderMode: 0 | 1;
} {
  return quoteQuantity === undefined
    ? { quantity, orderMode: 0 }
    : { quantity: quoteQuantity, orderMode: 1 };
}
