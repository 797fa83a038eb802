import type { Address } from "../domain/ids.ts";

/** Typed data to sign (EIP-712), in the two forms that signers need. */
export interface TypedDataRequest {
  /** Argument of `eth_signTypedData_v4`. */
  readonly typedData: object;
  /** Digest that a key in memory signs. */
  readonly digest: Uint8Array;
}

/**
 * Provides an owner's signature: from a key, a hardware wallet, a program or a person. It may take minutes and is never on the
 * order path.
 */
export interface OwnerSigner {
  readonly address: Address;
  /** r ‖ s ‖ v, `0x…`, 65 bytes. Rejects with TouchlineError when no signature can be obtained. */
  signTypedData(request: TypedDataRequest): Promise<string>;
}
