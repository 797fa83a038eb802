import { assert } from "../base/assert.ts";
import { fixedText, type Fixed } from "../domain/fixed.ts";
import { priceText } from "../domain/price.ts";

/** Formats prices and amounts for contexts (D12). The limits are asserted here because the venue would respond with 400. */

/** Longest price or quantity that the venue accepts, in characters, and most decimals. */
const DECIMAL_LENGTH_MAX = 40;
const DECIMALS_MAX = 18;

export function wirePrice(price: number): string {
  const text = priceText(price);
  assert(
    Number.isFinite(price) && price >= 0 && isShort(text),
    "a finite price of at most 40 characters and 18 decimals",
  );
  return text;
}

/** A quantity, or an amount of a token to move. */
export function wireQuantity(quantity: Fixed): string {
  const text = fixedText(quantity);
  assert(quantity > 0n && isShort(text), "a quantity above 0 with at most 18 decimals");
  return text;
}

function isShort(text: string): boolean {
  const point = text.indexOf(".");
  return (
    text.length <= DECIMAL_LENGTH_MAX && (point < 0 || text.length - point - 1 <= DECIMALS_MAX)
  );
}
