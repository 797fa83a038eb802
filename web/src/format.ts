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

/** Money with its sign, in short form; a dash when it is not known. */
export function moneyText(value: number | string | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const amount = Number(value);
  if (amount === 0) return "0.00";
  const size = Math.abs(amount);
  const text = size >= 0.005 ? amountText(size) : size.toPrecision(2);
  return `${amount > 0 ? "+" : "−"}${text}`;
}

export function shareText(share: number | null | undefined): string {
  return share === null || share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;
}

/** Made once: `toLocaleTimeString` makes one for each text. */
const times = new Intl.DateTimeFormat([], { timeStyle: "medium", hourCycle: "h23" });

export function timeText(timeMs: number): string {
  return times.format(timeMs);
}

/** `9s`, `4m 05s` or `1h 05m`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}
