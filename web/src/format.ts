/** A price with 5 significant digits and at most 8 decimals. */
export function priceText(price: number): string {
  if (price === 0) return "0";
  const decimals = Math.min(8, Math.max(0, 4 - Math.floor(Math.log10(Math.abs(price)))));
  return price.toFixed(decimals);
}

/** A quantity or amount in short form, such as `12.3k` or `1.50M`. */
export function amountText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1_000_000) return `${(value / 1_000_000).toFixed(2)}M`;
  if (size >= 10_000) return `${(value / 1000).toFixed(1)}k`;
  if (size >= 100) return value.toFixed(1);
  if (size >= 1 || size === 0) return value.toFixed(2);
  return value.toPrecision(3);
}

export function signedText(value: number, digits = 4): string {
  return `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
}

export function timeText(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString([], { hour12: false });
}
