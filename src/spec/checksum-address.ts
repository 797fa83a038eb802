import { toHex } from "../base/hex.ts";
import type { Address } from "../domain/ids.ts";
import type { Keccak256 } from "./transaction.ts";

const ascii = new TextEncoder();

/** The address in EIP-55 form: a digit is upper case where the nibble of the lower-case text's hash is 8 or more. */
export function checksumAddress(address: Address, keccak256: Keccak256): string {
  const digits = address.slice(2);
  const hash = toHex(keccak256(ascii.encode(digits)));
  let text = "0x";
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charAt(at);
    text += hash.charCodeAt(2 + at) >= 56 ? digit.toUpperCase() : digit;
  }
  return text;
}
