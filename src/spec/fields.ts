import { z } from "zod";

/** Field codecs that endpoints, contexts and channels are made of. Decimals stay text on this side of the border (§1.4). */

/** Plain non-negative decimal text of at most 40 characters (D12): digits, or digits, a point and digits. */
export const decimalText = z
	.string()
	.max(40, "is longer than 40 characters")
	.regex(/^\d+(\.\d+)?$/, "is not plain decimal text");

/** Decimal text as the venue answers it: may be negative nowhere, but may be longer than what we may send. */
export const decimalAnswer = z
	.string()
	.regex(/^-?\d+(\.\d+)?$/, "is not decimal text");

export const addressText = z
	.string()
	.regex(/^0x[0-9a-fA-F]{40}$/, "is not a 0x address of 20 bytes");
export const hashText = z
	.string()
	.regex(/^0x[0-9a-fA-F]{64}$/, "is not 0x and 64 hex digits");
export const hexText = z
	.string()
	.regex(/^0x(?:[0-9a-fA-F]{2})+$/, "is not 0x and hex digits");
export const marketIdText = z
	.string()
	.regex(/^[^_\s]+_[^_\s]+$/, "is not a market id like 1_2");
export const integer = z.number().int();
/** A point in time, milliseconds since the epoch. */
export const timeMs = z.number().int();

/** A whole number in a query: digits on the wire, a number for callers. Out of range is an error, never clamped (D14). */
export function queryInteger(
	range: { readonly min?: number; readonly max?: number } = {},
) {
	const min = range.min ?? 0;
	const max = range.max ?? Number.MAX_SAFE_INTEGER;
	return z
		.union([
			z.number(),
			z
				.string()
				.regex(/^\d{1,16}$/, "is not a whole number")
				.transform(Number),
		])
		.pipe(
			z
				.number()
				.int("is not a whole number")
				.min(min, `is below ${min}`)
				.max(max, `is above ${max}`),
		);
}
