import { mulFixed, mulRoundHalfUp, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";

/**
 * The fee that D18 makes of an execution: in the token received, at the market's maker or taker rate, rounded half-up at
 * 18 decimals. For estimates and for checking what the venue charged; what is booked is what the fill says.
 */
export function expectedFee(
  fill: Pick<Fill, "side" | "price" | "quantity" | "isMaker">,
  market: Pick<Market, "baseToken" | "quoteToken" | "makerFee" | "takerFee">,
): { readonly fee: Fixed; readonly feeToken: TokenId } {
  const feeRate = fill.isMaker ? market.makerFee : market.takerFee;
  return fill.side === "BUY"
    ? { fee: mulRoundHalfUp(fill.quantity, feeRate, 18), feeToken: market.baseToken }
    : {
        fee: mulRoundHalfUp(mulFixed(fill.price, fill.quantity), feeRate, 18),
        feeToken: market.quoteToken,
      };
}
