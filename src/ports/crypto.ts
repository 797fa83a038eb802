import type { Address } from "../domain/ids.ts";

/** Hashing and public-key recovery (§1.7, §4.4). Both implementations, ethers and native, produce the same bytes. */
export interface Crypto {
  /** `secp256k1` if the native binding passed its self-test, else `ethers`; printed at start and in the summary. */
  readonly name: "secp256k1" | "ethers";
  keccak256(bytes: Uint8Array): Uint8Array;
  /** Address of the signer; undefined when the signature is invalid. `signature` is r ‖ s, 64 bytes. */
  recover(digest: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Address | undefined;
  /** Creates a signer from a private key of 32 bytes. */
  signer(privateKey: Uint8Array): Signer;
}

/** Signs digests synchronously, on the order path. RFC 6979 nonces and low s: equal digests get equal signatures. */
export interface Signer {
  readonly address: Address;
  sign(digest: Uint8Array): Signature;
}

export interface Signature {
  /** r ‖ s, 64 bytes, with low s. */
  readonly rs: Uint8Array;
  readonly recovery: 0 | 1;
}
