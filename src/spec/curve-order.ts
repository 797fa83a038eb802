import { fromHex } from "../base/hex.ts";
import { assert } from "../base/assert.ts";

/** Ranges of secp256k1 (SEC 2, §2.4.1): n is the order of its base point; an s above n / 2 is called high (EIP-2). */

function constant(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  assert(bytes !== undefined, "a constant of hex digits");
  return bytes;
}

const order = constant("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
const half = constant("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");

/** Whether the 32 bytes (big-endian) are a number in [1, n): a valid private key, r or s. */
export function isScalar(bytes: Uint8Array): boolean {
  return bytes.length === 32 && bytes.some((byte) => byte !== 0) && compare(bytes, order) < 0;
}

/** Whether r ‖ s (64 bytes) is a signature that the venue accepts: both in range and s low (D5). */
export function isCanonicalSignature(rs: Uint8Array): boolean {
  return rs.length === 64 && isScalar(rs.subarray(0, 32)) && isLowS(rs.subarray(32));
}

function isLowS(s: Uint8Array): boolean {
  return isScalar(s) && compare(s, half) <= 0;
}

function compare(left: Uint8Array, right: Uint8Array): number {
  for (let at = 0; at < 32; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
