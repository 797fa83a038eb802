import { fixedToNumber, maxFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import { isTerminal } from "../domain/order.ts";
import { ExactPrice } from "./exact-price.ts";
import { type ExchangeBracket, isLimit, type Order } from "./order.ts";

/** The other leg. */
export function pairOf({ takeProfit, stopLoss }: ExchangeBracket, leg: Order): Order {
  return leg === takeProfit ? stopLoss : takeProfit;
}

/** What the placed legs need together: the larger need of the two. */
export function needOfLegs({ takeProfit, stopLoss }: ExchangeBracket): Fixed {
  return maxFixed(liveNeed(takeProfit), liveNeed(stopLoss));
}

function liveNeed(leg: Order): Fixed {
  return isTerminal(leg.status) || leg.status === "PENDING_NEW" ? ZERO : needOfLeg(leg);
}

/** What a leg needs for all that it may still trade. */
export function needOfLeg(leg: Order): Fixed {
  if (leg.side === "SELL") return leg.remaining;
  const price = isLimit(leg.orderType) ? leg.price : (leg.trigger?.price ?? ZERO);
  return new ExactPrice(price, fixedToNumber(price)).notional(leg.remaining);
}
