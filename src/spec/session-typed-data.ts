import { assert } from "../base/assert.ts";
import { fromHex, toHex } from "../base/hex.ts";
import type { Address } from "../domain/ids.ts";
import type { UnixSec } from "../domain/time.ts";
import { checksumAddress } from "./checksum-address.ts";
import { isCanonicalSignature } from "./curve-order.ts";
import type { Keccak256, TransactionSignature } from "./transaction.ts";

/**
 * The message that an owner signs for a session wallet (§5): EIP-712 typed data on layer 1. It does not contain whether the
 * session is created, updated or deleted.
 */
export interface SessionMessage {
  readonly sessionWallet: Address;
  readonly expirySec: UnixSec;
  /** Also the nonce of the transaction. */
  readonly nonce: number;
}

const DOMAIN_NAME = "DEXSignTransaction";
const DOMAIN_VERSION = "1";
const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000" as Address;

const domainFields = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
] as const;
const messageFields = [
  { name: "sessionWallet", type: "address" },
  { name: "expiry", type: "uint64" },
  { name: "nonce", type: "uint64" },
] as const;

const PRIMARY_TYPE = "RegisterSessionWallet";

/** Typed data for `eth_signTypedData_v4`, for owners whose key is held by a wallet. */
export function sessionTypedData(message: SessionMessage, l1ChainId: number, keccak256: Keccak256) {
  return {
    types: { EIP712Domain: domainFields, [PRIMARY_TYPE]: messageFields },
    primaryType: PRIMARY_TYPE,
    domain: {
      name: DOMAIN_NAME,
      version: DOMAIN_VERSION,
      chainId: l1ChainId,
      verifyingContract: ZERO_ADDRESS,
    },
    message: {
      sessionWallet: checksumAddress(message.sessionWallet, keccak256),
      expiry: String(message.expirySec),
      nonce: String(message.nonce),
    },
  };
}

/** The 32-byte digest that the owner's key signs: keccak256(0x1901 ‖ domain separator ‖ struct hash), EIP-712. */
export function sessionDigest(
  message: SessionMessage,
  l1ChainId: number,
  keccak256: Keccak256,
): Uint8Array {
  const text = (value: string): Uint8Array => keccak256(utf8.encode(value));
  const typeHash = (name: string, fields: readonly { name: string; type: string }[]) =>
    text(`${name}(${fields.map((field) => `${field.type} ${field.name}`).join(",")})`);
  const domain = keccak256(
    words(
      typeHash("EIP712Domain", domainFields),
      text(DOMAIN_NAME),
      text(DOMAIN_VERSION),
      integerWord(l1ChainId),
      addressWord(ZERO_ADDRESS),
    ),
  );
  const struct = keccak256(
    words(
      typeHash(PRIMARY_TYPE, messageFields),
      addressWord(message.sessionWallet),
      integerWord(message.expirySec),
      integerWord(message.nonce),
    ),
  );
  const signed = new Uint8Array(66);
  signed.set([0x19, 0x01]);
  signed.set(domain, 2);
  signed.set(struct, 34);
  return keccak256(signed);
}

const utf8 = new TextEncoder();

function words(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(32 * parts.length);
  for (const [at, part] of parts.entries()) bytes.set(part, 32 * at);
  return bytes;
}

function integerWord(value: number): Uint8Array {
  assert(Number.isSafeInteger(value) && value >= 0, "a whole number from 0 to 2^53 - 1");
  const word = new Uint8Array(32);
  new DataView(word.buffer).setBigUint64(24, BigInt(value));
  return word;
}

function addressWord(address: Address): Uint8Array {
  const bytes = fromHex(address);
  assert(bytes?.length === 20, "an address of 20 bytes");
  const word = new Uint8Array(32);
  word.set(bytes, 12);
  return word;
}

/** Formats `l1signature` of a context: r ‖ s ‖ v in hex with v 27 or 28, as wallets do. */
export function typedSignatureText(signature: TransactionSignature): string {
  return toHex(Uint8Array.of(...signature.rs, 27 + signature.recovery));
}

/** Parses an `l1signature`; undefined when it is not 65 bytes, v is neither 27 nor 28, or r and s are not canonical. */
export function parseTypedSignature(text: string): TransactionSignature | undefined {
  const bytes = fromHex(text);
  if (bytes?.length !== 65) return undefined;
  const rs = bytes.subarray(0, 64);
  const v = bytes[64];
  if ((v !== 27 && v !== 28) || !isCanonicalSignature(rs)) return undefined;
  return { rs, recovery: v === 27 ? 0 : 1 };
}
