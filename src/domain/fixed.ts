import type { Brand } from "../base/brand.ts";
import { assert } from "../base/assert.ts";

/**
 * Exact money: a bigint that counts units of 10^-26. A price has at most 8 decimals (§4.5) and a quantity at most 18
 * (D12), so price × quantity never needs rounding at this scale. Everything owed, owned or sent is a Fixed or its text.
 */
export type Fixed = Brand<bigint, "Fixed">;

const FIXED_DECIMALS = 26;
const ONE = 10n ** 26n;

export const ZERO = 0n as Fixed;
export const UNIT = ONE as Fixed;

const powers: readonly bigint[] = Array.from(
  { length: 60 },
  (_, exponent) => 10n ** BigInt(exponent),
);

function power(exponent: number): bigint {
  const value = powers[exponent];
  assert(value !== undefined, "a power of ten in the table");
  return value;
}

/** A whole number with this many digits is below 2^53. */
const SHORT_TEXT = 15;
const plain = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Reads plain decimal text (`12`, `-0.5`; no exponent, no spaces, no bare point). Undefined when the text is not of
 * that form or has more than 26 decimals after trailing zeros.
 */
export function parseFixed(text: string): Fixed | undefined {
  return parseShort(text) ?? parseAny(text);
}

/** The usual case: up to 15 characters, no sign. Undefined for any other text, which may still be a decimal. */
function parseShort(text: string): Fixed | undefined {
  if (text.length > SHORT_TEXT) return undefined;
  let units = 0;
  let point = -1;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (digit === -2 && point < 0) point = at;
    else return undefined;
  }
  if (text.length === 0 || point === 0 || point === text.length - 1) return undefined;
  const decimals = point < 0 ? 0 : text.length - point - 1;
  return (BigInt(units) * power(FIXED_DECIMALS - decimals)) as Fixed;
}

function parseAny(text: string): Fixed | undefined {
  const match = plain.exec(text);
  if (match === null) return undefined;
  const whole = match[2] ?? "";
  let fraction = match[3] ?? "";
  if (fraction.length > FIXED_DECIMALS) {
    fraction = fraction.replace(/0+$/, "");
    if (fraction.length > FIXED_DECIMALS) return undefined;
  }
  const scaled = BigInt(whole + fraction) * power(FIXED_DECIMALS - fraction.length);
  return (match[1] === "-" ? -scaled : scaled) as Fixed;
}

/** Reads decimal text that our own code made or a decoder has checked; asserts its form. */
export function fixed(text: string): Fixed {
  const value = parseFixed(text);
  assert(value !== undefined, `plain decimal text: ${text.slice(0, 60)}`);
  return value;
}

/** Plain decimal text: no exponent, no trailing zeros, `0` for zero. The inverse of `fixed`. */
export function fixedText(value: Fixed): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(FIXED_DECIMALS + 1, "0");
  const cut = digits.length - FIXED_DECIMALS;
  let end = digits.length;
  while (end > cut && digits.charCodeAt(end - 1) === 48) end -= 1;
  const text =
    end === cut ? digits.slice(0, cut) : `${digits.slice(0, cut)}.${digits.slice(cut, end)}`;
  return negative ? `-${text}` : text;
}

/** Doubles with up to 15 digits and 8 decimals convert by one division instead of through text. */
const SHORT = 10n ** 18n;
const SHORT_DIGITS = 1e15;
/** Units of 10^-8 in 1. */
const SHORT_UNITS = 10n ** 8n;

/** The double nearest to the value: for signals and displays, never for money. */
export function fixedToNumber(value: Fixed): number {
  const units = value / SHORT;
  const short = Number(units);
  // Exact units over an exact power of ten: one correctly rounded division.
  if (units * SHORT === value && Math.abs(short) < SHORT_DIGITS) return short / 1e8;
  return Number(fixedText(value));
}

/** The exact decimal that the shortest text of a double names; asserts that it is finite. */
export function fixedFromNumber(value: number): Fixed {
  assert(Number.isFinite(value), "a finite number");
  const units = Math.round(value * 1e8);
  // 15 digits name a double uniquely, so a decimal of that length that gives the same double is its shortest text.
  if (Math.abs(units) < SHORT_DIGITS && units / 1e8 === value)
    return (BigInt(units) * SHORT) as Fixed;
  return fixed(plainNumber(value));
}

/** Number to plain decimal text without an exponent (`1e-7` becomes `0.0000001`). */
export function plainNumber(value: number): string {
  const text = String(value);
  const at = text.indexOf("e");
  if (at < 0) return text;
  const exponent = Number(text.slice(at + 1));
  const negative = text.startsWith("-");
  const mantissa = text.slice(negative ? 1 : 0, at);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  const point = whole.length + exponent;
  let out: string;
  if (point <= 0) out = `0.${"0".repeat(-point)}${digits}`;
  else if (point >= digits.length) out = digits + "0".repeat(point - digits.length);
  else out = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return negative ? `-${out}` : out;
}

export function addFixed(left: Fixed, right: Fixed): Fixed {
  return (left + right) as Fixed;
}

export function subFixed(left: Fixed, right: Fixed): Fixed {
  return (left - right) as Fixed;
}

export function negFixed(value: Fixed): Fixed {
  return -value as Fixed;
}

export function absFixed(value: Fixed): Fixed {
  return (value < 0n ? -value : value) as Fixed;
}

export function minFixed(left: Fixed, right: Fixed): Fixed {
  return left < right ? left : right;
}

export function maxFixed(left: Fixed, right: Fixed): Fixed {
  return left > right ? left : right;
}

/** Exact product; asserts that nothing is lost (price × quantity always fits, see `Fixed`). */
export function mulFixed(left: Fixed, right: Fixed): Fixed {
  const product = left * right;
  const result = product / ONE;
  assert(result * ONE === product, "the product fits 26 decimals");
  return result as Fixed;
}

/** `mulFixed` of the decimal that a double names, with fewer long divisions; none for a whole price. */
export function mulNumber(left: number, right: Fixed): Fixed {
  const units = Math.round(left * 1e8);
  if (!(Math.abs(units) < SHORT_DIGITS && units / 1e8 === left)) {
    return mulFixed(fixedFromNumber(left), right);
  }
  if (Number.isInteger(left)) return (BigInt(left) * right) as Fixed;
  const product = BigInt(units) * right;
  const result = product / SHORT_UNITS;
  assert(result * SHORT_UNITS === product, "the product fits 26 decimals");
  return result as Fixed;
}

/** Product rounded half-up (away from zero) at `decimals` (D18: fees at 18). */
export function mulRoundHalfUp(left: Fixed, right: Fixed, decimals: number): Fixed {
  const product = left * right;
  const step = power(FIXED_DECIMALS - decimals) * ONE;
  const half = step / 2n;
  const units = product < 0n ? -((-product + half) / step) : (product + half) / step;
  return (units * power(FIXED_DECIMALS - decimals)) as Fixed;
}

/** left ÷ right of non-negative values, rounded up at `decimals`. */
export function divUp(left: Fixed, right: Fixed, decimals: number): Fixed {
  assert(right > 0n && left >= 0n, "a non-negative dividend and a positive divisor");
  const step = power(FIXED_DECIMALS - decimals);
  const divisor = right * step;
  return (((left * ONE + divisor - 1n) / divisor) * step) as Fixed;
}

/** left ÷ right of non-negative values, rounded down at `decimals`. */
export function divDown(left: Fixed, right: Fixed, decimals: number): Fixed {
  assert(right > 0n && left >= 0n, "a non-negative dividend and a positive divisor");
  const step = power(FIXED_DECIMALS - decimals);
  return (((left * ONE) / (right * step)) * step) as Fixed;
}

/** Rounded down (toward zero) at `decimals`. */
export function truncFixed(value: Fixed, decimals: number): Fixed {
  const step = power(FIXED_DECIMALS - decimals);
  return ((value / step) * step) as Fixed;
}

/** The amount toward zero with at most this many significant digits. */
export function truncSignificant(value: Fixed, digits: number): Fixed {
  const surplus = String(absFixed(value)).length - digits;
  return surplus <= 0 ? value : ((value - (value % 10n ** BigInt(surplus))) as Fixed);
}
