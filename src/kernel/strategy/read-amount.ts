import { AMOUNT_BOUND, AMOUNT_BOUND_TEXT } from "../../domain/amount-bounds.ts";
import { Decimal } from "../../domain/decimal.ts";
import { parseFixed, type Fixed } from "../../domain/fixed.ts";
import { LOT_DECIMALS_MAX } from "../../domain/fixed-rules.ts";
import { shown } from "../../strategy/shown.ts";

/** Prices and sizes as a strategy returns them, which in plain JavaScript may be anything. */

/** Longest text of a size. */
const TEXT_MAX = 1_000;
/** Decimal text, or with an exponent, as `String` makes it from a small number. */
const decimalText = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Checks a price. `what` names it in the message of the TypeError. */
export function readPrice(price: unknown, what: () => string): number {
  if (typeof price === "number" && price > 0 && price < AMOUNT_BOUND) return price;
  throw new TypeError(
    `${what()} is ${shown(price)}; a price is a number above 0 and below ${AMOUNT_BOUND_TEXT}`,
  );
}

/**
 * The exact size, cut off (never rounded up) after the 18 decimals that a lot may have. Throws TypeError when it is negative, too
 * large, or neither a Decimal nor decimal text; `what` names it in the message.
 */
export function readSize(size: unknown, what: () => string): Fixed {
  if (typeof size !== "string" && !Decimal.isDecimal(size)) {
    throw new TypeError(`${what()} is ${shown(size)}; write a Decimal, or text such as "0.5"`);
  }
  const value = typeof size === "string" ? sizeOfText(size) : sizeOfDecimal(size);
  if (value !== undefined) return value;
  throw new TypeError(
    `${what()} is ${shown(size)}; a size is 0 or more and below ${AMOUNT_BOUND_TEXT}, as a Decimal or as text such as "0.5"`,
  );
}

function sizeOfText(text: string): Fixed | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const value = text.length < SHORT_TEXT ? parseFixed(text) : undefined;
  if (value !== undefined) return value < 0n ? undefined : value;
  return decimalText.test(text) ? sizeOfDecimal(new Decimal(text)) : undefined;
}

/** Shorter text has at most 26 decimals and is below the bound. */
const SHORT_TEXT = 20;

const ZERO = new Decimal(0);
const BOUND = new Decimal(AMOUNT_BOUND);

function sizeOfDecimal(size: Decimal): Fixed | undefined {
  // The bound comes first: a Decimal such as 1e9999999 is too long to be written out.
  if (!(size.gte(ZERO) && size.lt(BOUND))) return undefined;
  return parseFixed(size.toDecimalPlaces(LOT_DECIMALS_MAX, Decimal.ROUND_DOWN).toFixed());
}
