/** Up to this many digits determine a double exactly: a whole number below 2^53, divided once by a power of ten. */
const DIGITS_MAX = 15;
/** Up to this many digits fit into a 32-bit integer, which keeps the loops fast. */
const PART_DIGITS_MAX = 9;
const ZERO = 48;
/** Code of the decimal point, minus the code of 0. */
const POINT = -2;

const powers = Float64Array.from({ length: PART_DIGITS_MAX + 1 }, (_, exponent) =>
  Number(`1e${exponent}`),
);

/** Same result as `Number(text)`, but faster for the short plain decimals of market data. */
export function decimalNumber(text: string): number {
  const { length } = text;
  let whole = 0;
  let at = 0;
  let digit = text.charCodeAt(0) - ZERO;
  while (digit >= 0 && digit <= 9) {
    whole = (Math.imul(whole, 10) + digit) | 0;
    at += 1;
    digit = text.charCodeAt(at) - ZERO;
  }
  const wholeDigits = at;
  const decimals = Math.max(0, length - at - 1);
  if (
    wholeDigits === 0 ||
    wholeDigits > PART_DIGITS_MAX ||
    decimals > PART_DIGITS_MAX ||
    wholeDigits + decimals > DIGITS_MAX
  ) {
    return Number(text);
  }
  if (at === length) return whole;
  if (digit !== POINT) return Number(text);
  let fraction = 0;
  for (at += 1; at < length; at += 1) {
    digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number(text);
    fraction = (Math.imul(fraction, 10) + digit) | 0;
  }
  const power = powers[decimals] ?? 1;
  return (whole * power + fraction) / power;
}
