import type { MarketRules } from "../domain/market-rules.ts";
import type { Side } from "../domain/side.ts";

/**
 * The price at which a quote is sent so that it rests: the wanted price on the market's grid (bids down, asks up), but no
 * nearer to the opposite touch than one tick. The venue has no post-only (§4.4), so the kernel checks this when it sends a
 * quote, against the book less own orders; `oppositeTouch` is undefined when that side is empty. Undefined when no positive
 * price is left.
 */
export function makerPrice(
  rules: MarketRules,
  side: Side,
  wanted: number,
  oppositeTouch: number | undefined,
): number | undefined {
  if (!(wanted > 0) || !Number.isFinite(wanted)) return undefined;
  if (side === "BUY") {
    const price = rules.roundDown(wanted);
    // The touch itself may lie off the grid: an old order of the venue, a recording.
    const bound = oppositeTouch === undefined ? price : rules.nextBelow(oppositeTouch);
    return positive(Math.min(price, bound));
  }
  const price = rules.roundUp(wanted);
  const bound = oppositeTouch === undefined ? price : rules.nextAbove(oppositeTouch);
  return positive(Math.max(price, bound));
}

/** `makerPrice` for a legal price, without rounding one that is behind the touch already. */
export function guardedPrice(
  rules: MarketRules,
  side: Side,
  price: number,
  oppositeTouch: number | undefined,
): number | undefined {
  const isBehind =
    oppositeTouch !== undefined && (side === "BUY" ? price < oppositeTouch : price > oppositeTouch);
  return isBehind ? price : makerPrice(rules, side, price, oppositeTouch);
}

function positive(price: number): number | undefined {
  return price > 0 ? price : undefined;
}
