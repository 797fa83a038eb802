import { roundPriceDown, roundPriceUp, tickAbove, tickBelow } from "../domain/price.ts";
import type { Side } from "../domain/side.ts";

/**
 * The price at which a quote is sent so that it rests: the wanted price on the grid (bids down, asks up), but at most one
 * tick inside the opposite touch. The venue has no post-only (§4.4), so this is checked when sending, against the book
 * less our own orders; `oppositeTouch` is undefined when that side is empty. Undefined when no positive price is left.
 */
export function makerPrice(
  side: Side,
  wanted: number,
  oppositeTouch: number | undefined,
): number | undefined {
  if (!(wanted > 0) || !Number.isFinite(wanted)) return undefined;
  if (side === "BUY") {
    const price = roundPriceDown(wanted);
    const bound = oppositeTouch === undefined ? price : legalBelow(oppositeTouch);
    return positive(Math.min(price, bound));
  }
  const price = roundPriceUp(wanted);
  const bound = oppositeTouch === undefined ? price : legalAbove(oppositeTouch);
  return positive(Math.max(price, bound));
}

/** Highest legal price strictly below any price, which may lie off the grid (a venue's old orders, a recording). */
function legalBelow(price: number): number {
  const down = roundPriceDown(price);
  return down < price ? down : tickBelow(down);
}

/** Lowest legal price strictly above any price. */
function legalAbove(price: number): number {
  const up = roundPriceUp(price);
  return up > price ? up : tickAbove(up);
}

function positive(price: number): number | undefined {
  return price > 0 ? price : undefined;
}
