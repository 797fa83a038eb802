/**
 * Parses a receive stamp into microseconds since the epoch, without rounding errors. The stamp is in whole seconds, milli-,
 * micro- or nanoseconds (recognized by its length), or in seconds with a fraction; finer digits are cut off. Undefined for other
 * text.
 */
export function stampUs(text: string): number | undefined {
  const match = /^(\d{10,19})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = "", fraction = ""] = match;
  const decimals = whole.length - 10;
  if (fraction !== "" && decimals > 0) return undefined;
  const digits = decimals > 0 ? whole : whole + fraction;
  return Number(digits.slice(0, 16).padEnd(16, "0"));
}
