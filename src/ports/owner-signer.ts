import type { Address } from "../domain/ids.ts";

/** Typed data to sign (EIP-712), in both forms that owners sign. */
export interface TypedDataRequest {
  /** As `eth_signTypedData_v4` takes it. */
  readonly typedData: object;
  /** What a key in memory signs. */
  readonly digest: Uint8Array;
}

/**
 * The asynchronous port of an owner's signature: a key that is opened for it, a hardware wallet, a program, a person. It may take
 * minutes, and is never on the order path.
 */
export interface OwnerSigner {
  readonly address: Address;
  /** r ‖ s ‖ v, `0x…`, 65 bytes. Rejects with TouchlineError when there is no signature to be had. */
  signTypedData(request: TypedDataRequest): Promise<string>;
}
