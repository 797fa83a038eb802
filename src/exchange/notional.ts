import type { Fixed } from "../domain/fixed.ts";

/**
 * Price × quantity on the matching path. Prices are in units of 10^-8 (the most decimals of §4.5), so the product with a quantity of
 * at most 18 decimals (D12) is exact in `Fixed` after one small division.
 */
const E8 = 10n ** 8n;
const E18 = 10n ** 18n;

/** A price with at most 8 decimals as units of 10^-8. */
export function priceUnits(price: Fixed): bigint {
  return price / E18;
}

/** True for a positive price of at most 8 decimals; `priceUnits` truncates all others. */
export function isWholeUnits(price: Fixed): boolean {
  return price > 0n && price % E18 === 0n;
}

/** The inverse of `priceUnits`. */
export function priceOfUnits(units: bigint): Fixed {
  return (units * E18) as Fixed;
}

/** Exact price × quantity; the price has at most 8 decimals, the quantity at most 18 (D12). */
export function notionalOf(price: Fixed, quantity: Fixed): Fixed {
  return ((priceUnits(price) * quantity) / E8) as Fixed;
}

/** The base quantity that this amount of quote buys, rounded down to 8 decimals (D21). */
export function affordable(quote: Fixed, units: bigint): Fixed {
  return (((quote * E8) / units / E18) * E18) as Fixed;
}

/** True when the value has at most 18 decimals (D12). */
export function fitsLedger(value: Fixed): boolean {
  return value % E8 === 0n;
}

/** True for a double that stands for a price of at most 8 decimals, small enough to be exact in units. */
export function fitsPrice(price: number): boolean {
  const units = Math.round(price * 1e8);
  return units > 0 && units < 1e15 && units / 1e8 === price;
}
