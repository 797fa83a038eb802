import { maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import { isTerminal } from "../domain/order.ts";
import { notionalOf } from "./notional.ts";
import { type ExchangeBracket, isLimit, type Order } from "./order.ts";

/** The other leg of the pair. */
export function pairOf({ takeProfit, stopLoss }: ExchangeBracket, leg: Order): Order {
  return leg === takeProfit ? stopLoss : takeProfit;
}

/** The amount to lock for both placed legs: the larger of their needs, since only one of them can fill. */
export function needOfLegs({ takeProfit, stopLoss }: ExchangeBracket): Fixed {
  return maxFixed(liveNeed(takeProfit), liveNeed(stopLoss));
}

function liveNeed(leg: Order): Fixed {
  return isTerminal(leg.status) || leg.status === "PENDING_NEW" ? ZERO : needOfLeg(leg);
}

/** The amount that a leg's remaining quantity needs. */
export function needOfLeg(leg: Order): Fixed {
  if (leg.side === "SELL") return leg.remaining;
  const price = isLimit(leg.orderType) ? leg.price : (leg.trigger?.price ?? ZERO);
  return notionalOf(price, leg.remaining);
}
