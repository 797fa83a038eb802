import { z } from "zod";
import { isPlainText, plainText } from "../base/plain-text.ts";
import { DECIMAL_TEXT_MAX, ID_TEXT_MAX, TIME_MS_MAX } from "./limits.ts";

/** Field codecs for endpoints, contexts and channels. Decimals stay text in the wire types (§1.4). */

/** Plain non-negative decimal text of at most 40 characters (D12): digits, or digits, a point and digits. */
export const decimalText = z
  .string()
  .max(40, "is longer than 40 characters")
  .regex(/^\d+(\.\d+)?$/, "is not plain decimal text");

/** Number of decimals without trailing zeros. */
export function decimalsOf(text: string): number {
  const point = text.indexOf(".");
  if (point < 0) return 0;
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end -= 1;
  return end - point - 1;
}

/** A price in a context (D12): plain decimal text with at most 18 decimals, not counting trailing zeros; `0` for market orders. */
export const contextPrice = decimalText.refine(
  (text) => decimalsOf(text) <= 18,
  "has more than 18 decimals",
);

/** A quantity in a context (D12): as a price, but not 0. */
export const contextQuantity = contextPrice.refine((text) => /[1-9]/.test(text), "is 0");

/** A code in a context that is 0 or 1 (§2.1). JSON's `-0` is refused. */
export const zeroOrOne = z.literal([0, 1]).refine((code) => !Object.is(code, -0), "is -0");

/** A whole number of 0 or more in a context. JSON's `-0` is refused. */
export const contextInteger = z
  .int()
  .min(0, "is below 0")
  .refine((value) => !Object.is(value, -0), "is -0");

/** Decimal text in a response: not negative, but possibly longer than the venue accepts in requests. */
export const responseDecimal = z
  .string()
  .max(DECIMAL_TEXT_MAX)
  .regex(/^\d+(\.\d+)?$/, "is not plain decimal text");
/** A fee or fee rate in a response; negative where makers are paid. */
export const responseFee = z
  .string()
  .max(DECIMAL_TEXT_MAX)
  .regex(/^-?\d+(\.\d+)?$/, "is not decimal text");

export const addressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "is not a 0x address of 20 bytes");
export const hashText = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "is not 0x and 64 hex digits");
export const hexText = z.string().regex(/^0x(?:[0-9a-fA-F]{2})+$/, "is not 0x and hex digits");
/** A signature in the form of wallets: r, s and v, 65 bytes. */
export const typedSignatureHex = z
  .string()
  .regex(/^0x[0-9a-fA-F]{130}$/, "is not a signature of 65 bytes in hex");
/** An id. One with control characters or invisible marks is refused, since it could look like another id. */
const idText = z.string().refine(isPlainText, "has characters that do not show");
export const marketIdText = idText.regex(/^[^_\s]+_[^_\s]+$/, "is not a market id like 1_2");
export const tokenIdText = idText.min(1, "is empty");
/** Text of the venue that is for people: names, messages. One line without control characters, cut to `most` characters. */
export function shownText(most = 300) {
  return z.string().overwrite((text) => plainText(text, most));
}
/** A text that the interface describes by examples only, such as an address of a picture. */
export const freeText = shownText(2_000);
export const responseMarketId = marketIdText.max(ID_TEXT_MAX);
export const responseTokenId = tokenIdText.max(ID_TEXT_MAX);
/** Bots remember these ids to tell repeats from news. */
export const tradeIdText = idText.max(ID_TEXT_MAX);
export const integer = z.number().int();
/** A number that counts up from 0: record ids, block numbers, update ids of the book. */
export const counter = z.number().int().min(0);
/** A point in time, milliseconds since the epoch. */
export const timeMs = z.number().int().min(0).max(TIME_MS_MAX);
/** A point in time, seconds since the epoch (§1.3). */
export const timeSec = z
  .number()
  .int()
  .min(0)
  .max(TIME_MS_MAX / 1000);

/** A whole number in a query: digits on the wire, a number for callers. A value out of range is an error and never clamped (D14). */
export function queryInteger(range: { readonly min?: number; readonly max?: number } = {}) {
  const min = range.min ?? 0;
  const max = range.max ?? Number.MAX_SAFE_INTEGER;
  const form = "is not a whole number";
  const digits = z
    .string()
    .regex(/^\d{1,16}$/, form)
    .transform(Number);
  return z
    .union([z.number(), digits])
    .pipe(z.number().int(form).min(min, `is below ${min}`).max(max, `is above ${max}`));
}

/** A token in a query, where it is an INT64 (§4.1): digits, as text or as a number. */
export const queryTokenId = z
  .union([z.int().min(0).transform(String), z.string()])
  .pipe(z.string().regex(/^(0|[1-9]\d{0,18})$/, "is not a whole number"))
  // Padded to the same length, texts compare like numbers.
  .refine((text) => text.padStart(19, "0") <= "9223372036854775807", "is above 2^63 - 1");

/**
 * Query of the three order lists (§4.2). `from` and `to` filter on `createdAt`, both inclusive. If both are 0 or absent, the
 * last 30 days are returned; with `to` alone, `from` is 0 (D14, D15). The server enforces the spans, since they depend on its clock.
 */
export function orderListQuery(limit: { readonly default: number; readonly max: number }) {
  return z.object({
    address: addressText,
    /** Absent means all markets. */
    marketId: marketIdText.optional(),
    from: queryInteger().default(0),
    /** Absent means now. */
    to: queryInteger().optional(),
    limit: queryInteger({ min: 1, max: limit.max }).default(limit.default),
  });
}
