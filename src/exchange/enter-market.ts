import type { ExchangeMarket } from "./exchange-market.ts";
import type { Matching } from "./matching.ts";
import { isLimit, type Order } from "./order.ts";

/** Brings an admitted order to market: it trades, and then rests or is over. */
export function enterMarket(matching: Matching, state: ExchangeMarket, order: Order): void {
  if (!isLimit(order.orderType)) {
    // With nothing left to match the remainder is canceled (D20); so is quote that buys nothing (D21).
    if (matching.take(state, order, undefined) !== "filled") matching.cancel(state, order);
    return;
  }
  const price = state.prices.of(order.price);
  const end = matching.take(state, order, price.number);
  if (end === "filled") return;
  if (end === "self-trade") {
    matching.cancel(state, order);
    return;
  }
  matching.rest(state, order, state.side(order.side).ensure(price));
}
