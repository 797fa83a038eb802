import { mulFixed, mulRoundHalfUp, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";

/**
 * The fee of an execution by D18: in the token received, at the market's maker or taker rate, rounded half-up at 18 decimals. Use it
 * for estimates and to check what the venue charged; the position books the fee in the fill.
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
