import { toHex } from "../base/hex.ts";
import { type Address, addressOf } from "../domain/ids.ts";
import type { Keccak256 } from "./transaction.ts";

const ascii = new TextEncoder();

/** The address in EIP-55 form: a digit is upper case where the same nibble of the lower-case text's hash is 8 or more. */
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

/** Message about an address with a wrong checksum, without its subject. */
export const wrongChecksum = "does not match its checksum (EIP-55); is it mistyped?";

/** Whether the text mixes cases in a way that EIP-55 does not allow, so it is mistyped. Text in one case has no checksum. */
export function hasWrongChecksum(text: string, keccak256: Keccak256): boolean {
  const address = addressOf(text);
  if (address === undefined) return false;
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return !isOneCase && digits !== checksumAddress(address, keccak256).slice(2);
}
