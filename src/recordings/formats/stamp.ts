/**
 * Microseconds since the epoch from a receive stamp as text, exactly: whole seconds, milli-, micro- or nanoseconds (told
 * apart by their length), or seconds with a fraction. What is finer is cut off. Undefined when the text is no stamp.
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
