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

/** The price, or undefined when it is none; `badPrice` says so. */
export function readPrice(price: unknown): number | undefined {
  return typeof price === "number" && price > 0 && price < AMOUNT_BOUND ? price : undefined;
}

export function badPrice(price: unknown, name: string): TypeError {
  return new TypeError(
    `${name} is ${shown(price)}; a price is a number above 0 and below ${AMOUNT_BOUND_TEXT}`,
  );
}

/**
 * The exact size, cut off (never rounded up) after the 18 decimals that a lot may have. Undefined when it is negative, too large, or
 * neither a Decimal nor decimal text; `badSize` says so.
 */
export function readSize(size: unknown): Fixed | undefined {
  if (typeof size === "string") return knownTexts.get(size) ?? newText(size);
  return Decimal.isDecimal(size) ? (knownDecimals.get(size) ?? newDecimal(size)) : undefined;
}

export function badSize(size: unknown, name: string): TypeError {
  const isAmount = typeof size === "string" || Decimal.isDecimal(size);
  const wanted = isAmount
    ? `a size is 0 or more and below ${AMOUNT_BOUND_TEXT}, as a Decimal or as text such as "0.5"`
    : 'write a Decimal, or text such as "0.5"';
  return new TypeError(`${name} is ${shown(size)}; ${wanted}`);
}

/** Sizes that were read: a strategy wants the same ones at decision after decision. */
const knownTexts = new Map<string, Fixed>();
const knownDecimals = new WeakMap<Decimal, Fixed>();
const MAX_KNOWN = 1_000;

function newText(text: string): Fixed | undefined {
  const value = sizeOfText(text);
  if (value === undefined || text.length >= SHORT_TEXT) return value;
  if (knownTexts.size >= MAX_KNOWN) knownTexts.clear();
  knownTexts.set(text, value);
  return value;
}

function newDecimal(size: Decimal): Fixed | undefined {
  const value = sizeOfDecimal(size);
  if (value !== undefined) knownDecimals.set(size, value);
  return value;
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
