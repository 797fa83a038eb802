import { Decimal as DecimalJs } from "decimal.js";
import { fixed, fixedText, type Fixed } from "./fixed.ts";

/**
 * decimal.js for averages and for the money that strategies see, with 60 significant digits instead of the library's
 * default of 20. Sums that must be exact are `Fixed`.
 */
export const Decimal: typeof DecimalJs = DecimalJs.clone({
  precision: 60,
  rounding: DecimalJs.ROUND_HALF_EVEN,
  toExpNeg: -60,
  toExpPos: 60,
});
export type Decimal = InstanceType<typeof DecimalJs>;

/** The same value as a Decimal. */
export function decimalOf(value: Fixed): Decimal {
  return new Decimal(fixedText(value));
}

/** A Decimal cut (toward zero) at 18 decimals, as exact money. */
export function fixedOf(value: Decimal): Fixed {
  return fixed(value.toDecimalPlaces(18, DecimalJs.ROUND_DOWN).toFixed());
}
