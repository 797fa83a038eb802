import type { Decimal } from "../domain/decimal.ts";
import { addFixed, type Fixed, fixedText, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";

export function sumText(amounts: readonly Fixed[]): string {
  return fixedText(amounts.reduce(addFixed, ZERO));
}

/** Decimal text with 18 decimals; null when `parts` is empty or a part is undefined. */
export function sumMoney(parts: readonly (Decimal | undefined)[]): string | null {
  let sum: Decimal | undefined;
  for (const part of parts) {
    if (part === undefined) return null;
    sum = sum === undefined ? part : sum.plus(part);
  }
  // Adding zero turns a negative zero into zero.
  return sum?.toDecimalPlaces(18).plus(0).toFixed() ?? null;
}

/** The sums of amounts by token id. */
export function amountsText(
  amounts: Iterable<readonly [TokenId, Fixed]>,
): Readonly<Record<string, string>> {
  const sums = new Map<TokenId, Fixed>();
  for (const [token, amount] of amounts) sums.set(token, addFixed(sums.get(token) ?? ZERO, amount));
  return Object.fromEntries([...sums].map(([token, sum]) => [token, fixedText(sum)]));
}
