import type { Address } from "../domain/ids.ts";

/** Hashing and recovery (§1.7, §4.4). Two implementations stand behind it, with the same bytes: ethers and native. */
export interface Crypto {
  /** `secp256k1` when the native binding is proven, else `ethers`; printed at start and in the summary. */
  readonly name: "secp256k1" | "ethers";
  keccak256(bytes: Uint8Array): Uint8Array;
  /** Address that made this signature; undefined when it is not a valid one. `signature` is r ‖ s, 64 bytes. */
  recover(digest: Uint8Array, signature: Uint8Array, recovery: 0 | 1): Address | undefined;
  /** A signer with the private key in memory, 32 bytes. */
  signer(privateKey: Uint8Array): Signer;
}

/** Signs digests synchronously (the order path). RFC 6979 nonces, low s: the same digest gives the same signature. */
export interface Signer {
  readonly address: Address;
  sign(digest: Uint8Array): Signature;
}

export interface Signature {
  /** r ‖ s, 64 bytes, s low. */
  readonly rs: Uint8Array;
  readonly recovery: 0 | 1;
}
