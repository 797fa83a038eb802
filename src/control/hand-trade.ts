import { fixed, mulFixed, ZERO } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import { BY_HAND, type Fill, receivedToken } from "../domain/order.ts";
import { unixMs } from "../domain/time.ts";
import type { HandTrade } from "./protocol.ts";

/** An earlier time is in another unit. */
const EARLIEST_MS = Date.UTC(2015);
/** How far our clock may be behind the one that dated a trade. */
const AHEAD_MS = 60_000;

/** Why this cannot be a trade; undefined when it can. */
export function invalidTrade(trade: HandTrade): string | undefined {
  const [price, quantity, fee] = [fixed(trade.price), fixed(trade.quantity), fixed(trade.fee)];
  if (price <= ZERO || quantity <= ZERO) return "a trade has a price and a quantity above 0";
  const received = trade.side === "BUY" ? quantity : mulFixed(price, quantity);
  if (fee >= received) return "the fee is not below what the trade brought";
  if (trade.timeMs < EARLIEST_MS) return "the time is before 2015: it is in Unix milliseconds";
  if (trade.timeMs > Date.now() + AHEAD_MS) return "the time is in the future";
  return undefined;
}

/** The trade as a fill, whose fee is in the token that it brings. */
export function fillByHand({ marketId: written, timeMs, ...trade }: HandTrade): Fill {
  const marketId = written as MarketId;
  return {
    ...trade,
    orderId: BY_HAND,
    marketId,
    price: fixed(trade.price),
    quantity: fixed(trade.quantity),
    fee: fixed(trade.fee),
    feeToken: receivedToken(marketId, trade.side),
    isMaker: false,
    timeMs: unixMs(timeMs),
  };
}
