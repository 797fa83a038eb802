import { fixedToNumber } from "../domain/fixed.ts";
import type { MarketState } from "./market-state.ts";
import type { Matching } from "./matching.ts";
import { priceUnits } from "./notional.ts";
import { isLimit, type Order } from "./order.ts";

/** Brings an admitted order to market: it trades, and then rests or is over. */
export function enterMarket(matching: Matching, state: MarketState, order: Order): void {
  if (!isLimit(order.orderType)) {
    // With nothing left to match the remainder is canceled (D20); so is quote that buys nothing (D21).
    if (matching.take(state, order, undefined) !== "filled") matching.cancel(state, order);
    return;
  }
  const limit = fixedToNumber(order.price);
  const end = matching.take(state, order, limit);
  if (end === "filled") return;
  if (end === "self-trade") {
    matching.cancel(state, order);
    return;
  }
  const level = state.side(order.side).ensure(limit, priceUnits(order.price));
  matching.rest(state, order, level);
}
