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

/**
 * In arithmetic and comparisons of JavaScript a Decimal is a number, and in a template its text. `+` throws: the library's Decimals join
 * as text there, and 1 + 1 is 11. The prototype is our own, since the library shares one with all of its users.
 */
Reflect.set(
  Decimal,
  "prototype",
  Object.create(DecimalJs.prototype, {
    [Symbol.toPrimitive]: {
      value(this: Decimal, wanted: "string" | "number" | "default"): string | number {
        if (wanted === "number") return Number(this.valueOf());
        if (wanted === "string") return this.toString();
        throw new TypeError(
          `${this.toString()} is a Decimal, which + would join as text: write a.plus(b), a.eq(b) or Number(a)`,
        );
      },
    },
  }),
);

/** The newest results of `decimalOf`: a strategy sees the same sizes at decision after decision. */
const known = new Map<Fixed, Decimal>();
const MAX_KNOWN = 1_000;

/** The same value as a Decimal, which strategies share: it is frozen. Its digits are not, which would make arithmetic half as slow again. */
export function decimalOf(value: Fixed): Decimal {
  let decimal = known.get(value);
  if (decimal === undefined) {
    decimal = Object.freeze(new Decimal(fixedText(value)));
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(value, decimal);
  }
  return decimal;
}

/** A Decimal cut (toward zero) at 18 decimals, as exact money. */
export function fixedOf(value: Decimal): Fixed {
  return fixed(value.toDecimalPlaces(18, DecimalJs.ROUND_DOWN).toFixed());
}
