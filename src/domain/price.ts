import { plainNumber } from "./fixed.ts";

/** A price as wire text: plain decimals, no exponent, no trailing zeros. The only formatter of prices. */
export function priceText(price: number): string {
  return plainNumber(price);
}
