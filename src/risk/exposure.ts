import {
  absFixed,
  addFixed,
  divUp,
  fixedFromNumber,
  maxFixed,
  mulNumber,
  mulRoundHalfUp,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { type MarketId, type TokenId, tokensOf } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import { needOf } from "../orders/balance-change.ts";
import { openExposureOf, type TrackedOrder } from "../orders/tracked-order.ts";
import type { Proposal, RiskContext } from "./context.ts";

/** What a proposal and our live orders put at stake. */

/** A wire amount has at most 18 decimals (D12); a mid times a quantity is rounded there. */
export const AMOUNT_DECIMALS = 18;

/** Price × quantity in quote token. Market orders count at their stop price, the worst price of a take, or else the mid; undefined without any. */
export function notionalOf(proposal: Proposal, midNow: number | undefined): Fixed | undefined {
  if (proposal.orderMode === 1) return proposal.quantity;
  const mid = proposal.stop?.stopPrice ?? proposal.take?.worst ?? midNow;
  if (proposal.orderType === "LIMIT") {
    return mulNumber(proposal.price, proposal.quantity);
  }
  if (mid === undefined) return undefined;
  return mulRoundHalfUp(fixedFromNumber(mid), proposal.quantity, AMOUNT_DECIMALS);
}

/** Quantity in base token. Orders in quote mode are converted at the mid; undefined without one. */
export function baseOf(proposal: Proposal, mid: number | undefined): Fixed | undefined {
  if (proposal.orderMode === 0) return proposal.quantity;
  if (mid === undefined) return undefined;
  return divUp(proposal.quantity, fixedFromNumber(mid), AMOUNT_DECIMALS);
}

/** The side whose fills bring a position nearer to 0; undefined at 0. */
export function reducingSide(position: Fixed): Side | undefined {
  if (position === ZERO) return undefined;
  return position > ZERO ? "SELL" : "BUY";
}

/** Whether an order, filled whole, brings its market's position nearer to 0 and not beyond. Its legs would open one again. */
export function reducesPosition(
  proposal: Proposal,
  { position, mid }: Pick<RiskContext, "position" | "mid">,
): boolean {
  if (proposal.side !== reducingSide(position) || proposal.tpsl !== undefined) return false;
  const size = baseOf(proposal, mid);
  return size !== undefined && size <= absFixed(position);
}

/** What all live orders of a side may still fill in a market, base token. */
export function liveQuantity(
  orders: readonly TrackedOrder[],
  marketId: MarketId,
  side: Side,
): Fixed {
  let sum = ZERO;
  for (const order of orders) {
    if (order.marketId !== marketId || order.side !== side || order.phase === "ended") continue;
    sum = addFixed(sum, openExposureOf(order));
  }
  return sum;
}

/** The same in all markets with this base token. */
export function liveBase(orders: readonly TrackedOrder[], base: TokenId, side: Side): Fixed {
  const markets = new Set(orders.map(({ marketId }) => marketId));
  return [...markets]
    .filter((marketId) => tokensOf(marketId).base === base)
    .reduce((sum, marketId) => addFixed(sum, liveQuantity(orders, marketId, side)), ZERO);
}

/**
 * Quote token that the legs of a sale may need beyond the proceeds of the sale, including taker fees of both trades: they buy back
 * at the higher of their prices (D25). 0 for a purchase, whose legs sell what it bought.
 */
export function legsShortfall({ side, price, quantity, tpsl }: Proposal, takerFee: Fixed): Fixed {
  if (tpsl === undefined || side === "BUY") return ZERO;
  const dearest = Math.max(tpsl.tpLimit, tpsl.slLimit ?? tpsl.slTrigger);
  const need = mulNumber(dearest, quantity);
  const worth = mulNumber(price, quantity);
  const fee = mulRoundHalfUp(worth, takerFee, AMOUNT_DECIMALS);
  return maxFixed(ZERO, subFixed(need, subFixed(worth, fee)));
}

/** The context as it will be when every leaving order is gone. */
export function withoutLeaving(
  context: RiskContext,
  isLeaving: (order: TrackedOrder) => boolean,
): RiskContext {
  const leaving = context.orders.filter(isLeaving);
  const later = (
    token: TokenId,
    free: Fixed | undefined,
    orders: readonly TrackedOrder[],
  ): Fixed | undefined => {
    if (free === undefined) return undefined;
    return orders
      .map(needOf)
      .filter(({ tokenId }) => tokenId === token)
      .reduce((sum, { amount }) => addFixed(sum, amount), free);
  };
  return {
    ...context,
    orders: context.orders.filter((order) => !isLeaving(order)),
    free: (token) => later(token, context.free(token), leaving),
    budgetFree: (token) =>
      later(
        token,
        context.budgetFree(token),
        leaving.filter(({ strategy }) => strategy === context.strategy),
      ),
  };
}
