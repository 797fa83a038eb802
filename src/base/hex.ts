const digits = "0123456789abcdef";
const pairs: readonly string[] = Array.from(
	{ length: 256 },
	(_, value) => `${digits[value >> 4]}${digits[value & 15]}`,
);

/** Bytes as `0x…` in lower case. */
export function toHex(bytes: Uint8Array): string {
	let text = "0x";
	for (let at = 0; at < bytes.length; at += 1) text += pairs[bytes[at] ?? 0];
	return text;
}

const form = /^0x(?:[0-9a-f]{2})*$/i;

/** The bytes of `0x…` text; undefined when it is not an even number of hex digits after `0x`. */
export function fromHex(text: string): Uint8Array | undefined {
	if (!form.test(text)) return undefined;
	const bytes = new Uint8Array((text.length - 2) / 2);
	for (let at = 0; at < bytes.length; at += 1) {
		bytes[at] =
			(nibble(text.charCodeAt(2 + 2 * at)) << 4) |
			nibble(text.charCodeAt(3 + 2 * at));
	}
	return bytes;
}

function nibble(code: number): number {
	return code <= 57 ? code - 48 : (code | 32) - 87;
}
