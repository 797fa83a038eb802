import { Decimal } from "../domain/decimal.ts";
import type { WantedQuote } from "./contract.ts";

/**
 * Distances of a ladder's quotes: the given ones, then each further level `step` beyond the level before it.
 *
 *   d(k) = given[k]                          for k < n, n the number given
 *   d(k) = given[n − 1] + (k − n + 1) · step   beyond
 */
export function ladderDistances(
  given: readonly number[],
  step: number,
  levels: number,
): readonly number[] {
  const last = given[given.length - 1] ?? 0;
  return Array.from(
    { length: levels },
    (_, level) => given[level] ?? last + (level - given.length + 1) * step,
  );
}

/**
 * Sizes of a ladder's quotes: the given ones, then each further level the size before it times `factor` plus `step`:
 * s(k) = s(k − 1) · factor + step.
 */
export function ladderSizes(
  given: readonly Decimal[],
  growth: { readonly factor: number; readonly step: Decimal },
  levels: number,
): readonly Decimal[] {
  const sizes: Decimal[] = [];
  for (let level = 0; level < levels; level += 1) {
    const before = sizes[level - 1];
    const size = given[level] ?? before?.times(growth.factor).plus(growth.step);
    if (size !== undefined) sizes.push(size);
  }
  return sizes;
}

/** A side's quotes, best first, without two at one price: levels that rounding brings together become one quote of their sizes together. */
export function mergeLevels(quotes: readonly WantedQuote[]): readonly WantedQuote[] {
  const merged: WantedQuote[] = [];
  for (const quote of quotes) {
    const last = merged.at(-1);
    if (last?.price !== quote.price) merged.push(quote);
    else merged[merged.length - 1] = { ...last, size: new Decimal(last.size).plus(quote.size) };
  }
  return merged.length === quotes.length ? quotes : merged;
}
