import { utcUs } from "../../domain/utc-time.ts";
import { plainDecimal } from "../plain-decimal.ts";

/** Digits of a Unix time of our days in whole seconds, milli-, micro- and nanoseconds. */
const LENGTHS: readonly number[] = [10, 13, 16, 19];

/**
 * A time as files have it, in microseconds since the epoch: a Unix time in seconds, milli-, micro- or nanoseconds (recognized by its
 * length), whole, with a fraction or with an exponent, or a date in UTC or with a zone. Finer digits are cut off. Undefined for other text.
 */
export function stampUs(text: string): number | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(plainDecimal(text));
  if (match === null) return utcUs(text);
  const [, whole = "", fraction = ""] = match;
  if (!LENGTHS.includes(whole.length)) return utcUs(text);
  return Number((whole + fraction).slice(0, 16).padEnd(16, "0"));
}
