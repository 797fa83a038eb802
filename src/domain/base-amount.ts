import { z } from "zod";
import { Decimal } from "./decimal.ts";
import { amount, settingRange } from "./setting.ts";

/** A size or position as users write it: an amount of base token, or what it is worth in quote token. */
export type BaseAmount = Decimal | { readonly quote: Decimal };

/** `0.5` in base token, or `{ quote: 50 }`; above 0, or from 0 with `zero`. */
export function baseAmount(options: { readonly zero?: boolean } = {}) {
  // Lazy, so that a key which takes it is one row in the table of keys.
  const inQuote = z.lazy(() => z.strictObject({ quote: amount(options) }));
  const schema = z.union([amount(options), inQuote]);
  const range = `${options.zero === true ? "0 or more" : "above 0"}, or { quote: … }`;
  return schema.register(settingRange, { range });
}

/** The amount in base token at a price. */
export function inBase(written: BaseAmount, price: number): Decimal {
  return written instanceof Decimal ? written : written.quote.div(price).toDecimalPlaces(18);
}
