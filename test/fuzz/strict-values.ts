/** Checks of single values (§1, D12, D14, D16), written independently of `src/spec` for comparison. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isDigits(text: string): boolean {
  if (text.length === 0) return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function isHex(text: string, digits: number): boolean {
  if (text.length !== digits + 2 || !text.startsWith("0x")) return false;
  for (const digit of text.slice(2)) if (!"0123456789abcdefABCDEF".includes(digit)) return false;
  return true;
}

export const isAddress = (value: unknown): value is string =>
  typeof value === "string" && isHex(value, 40);
export const isHash = (value: unknown): value is string =>
  typeof value === "string" && isHex(value, 64);
export const isSignature = (value: unknown): boolean =>
  typeof value === "string" && isHex(value, 130);

export function isHexBytes(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length >= 4 &&
    value.length % 2 === 0 &&
    isHex(value, value.length - 2)
  );
}

/** Plain decimal text of any length; a leading sign is allowed if `signed`. */
export function isDecimal(value: unknown, signed = false): boolean {
  if (typeof value !== "string") return false;
  const text = signed && value.startsWith("-") ? value.slice(1) : value;
  const [whole = "", fraction, ...more] = text.split(".");
  return more.length === 0 && isDigits(whole) && (fraction === undefined || isDigits(fraction));
}

/** A price of a context (D12). */
export function isPrice(value: unknown): boolean {
  if (!isDecimal(value) || typeof value !== "string" || value.length > 40) return false;
  let [, fraction = ""] = value.split(".");
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  return fraction.length <= 18;
}

export function isQuantity(value: unknown): boolean {
  return isPrice(value) && [...String(value)].some((digit) => digit >= "1" && digit <= "9");
}

/** The number 0 or 1, but not -0. */
export function isBit(value: unknown): boolean {
  return Object.is(value, 0) || value === 1;
}

export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && !Object.is(value, -0) && Number(value) >= 0;
}

/**
 * First and last of what a terminal or page takes for a command, hides or turns around: control characters, the ranges of Default_Ignorable_Code_Point in
 * Unicode's DerivedCoreProperties.txt, line separators, annotations, format controls of hieroglyphs, and halves of characters.
 */
const unshown = [
  [0x0, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
] as const;

/** Whether every character of an id shows. */
export function shows(id: string): boolean {
  return [...id].every((character) => {
    const code = character.codePointAt(0) ?? 0;
    return !unshown.some(([first, last]) => code >= first && code <= last);
  });
}

export const isToken = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && shows(value);

/** Whether an object has all `required` fields and no fields besides those and the `optional` ones. */
export function hasFields(
  value: unknown,
  required: Readonly<Record<string, (value: unknown) => boolean>>,
  optional: Readonly<Record<string, (value: unknown) => boolean>> = {},
): value is Fields {
  if (!isFields(value)) return false;
  for (const name of Object.keys(value)) {
    const check = Object.hasOwn(required, name)
      ? required[name]
      : Object.hasOwn(optional, name)
        ? optional[name]
        : undefined;
    if (check === undefined || !check(value[name])) return false;
  }
  return Object.keys(required).every((name) => Object.hasOwn(value, name));
}

/** A whole number in a query: 1 to 16 digits within the range. */
export function queryNumber(text: string, min: number, max: number): number | undefined {
  if (!isDigits(text) || text.length > 16) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}
