import type { Side } from "../domain/side.ts";
import type { MarketView } from "./view.ts";

/**
 * The price of a side at which the position is traded back for what it cost on average and the maker fee: no ask below it, no bid above
 * it. Undefined for the side that does not trade it back, and when flat.
 */
export function costBound(
  side: Side,
  { position, makerFee }: Pick<MarketView, "position" | "makerFee">,
): number | undefined {
  const { base, averagePrice } = position;
  const isBack = side === "BUY" ? base.isNegative() : base.isPositive();
  if (averagePrice === undefined || base.isZero() || !isBack) return undefined;
  return averagePrice.toNumber() * (side === "BUY" ? 1 - makerFee : 1 + makerFee);
}
