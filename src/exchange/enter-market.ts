import type { ExchangeMarket } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { isLimit, type Order } from "./order.ts";

/** Lets an admitted order trade; the remainder of a limit order rests unless it crosses the book, any other remainder is canceled. */
export function enterMarket(matching: Matching, state: ExchangeMarket, order: Order): void {
  if (!isLimit(order.orderType)) {
    // The remainder is canceled when nothing is left to match (D20) or when its quote buys nothing (D21).
    if (matching.take(state, order, undefined) !== "filled") matching.cancel(state, order);
    return;
  }
  const price = state.prices.of(order.price);
  const end = matching.take(state, order, price.number);
  if (end === "filled") return;
  if (end === "self-trade" || end === "full") {
    matching.cancel(state, order);
    return;
  }
  matching.rest(state, order, state.side(order.side).ensure(price));
}
