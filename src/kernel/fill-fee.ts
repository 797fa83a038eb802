import { fixedToNumber, mulFixed, type Fixed, ZERO } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";

/** What a fill brought in its fee's token (D18); undefined when the fee is in a token that the market does not trade. */
export function receivedOf({ baseToken, quoteToken }: Market, fill: Fill): Fixed | undefined {
  if (fill.feeToken === baseToken) return fill.quantity;
  return fill.feeToken === quoteToken ? mulFixed(fill.quantity, fill.price) : undefined;
}

/** The rate that the venue publishes for such a fill, as a share of what was received (D18). */
export function feeRateOf({ makerFee, takerFee }: Market, { isMaker }: Fill): Fixed {
  return isMaker ? makerFee : takerFee;
}

/** By how much a fee was higher than the market's rate, as a share of what was received; undefined in a third token. */
export function feeExcess(market: Market, fill: Fill): number | undefined {
  const received = fixedToNumber(receivedOf(market, fill) ?? ZERO);
  if (received === 0) return undefined;
  return fixedToNumber(fill.fee) / received - fixedToNumber(feeRateOf(market, fill));
}
