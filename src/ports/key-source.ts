/** Where a private key is stored. */
export type KeyPlace =
  | { readonly type: "env"; readonly name: string }
  | { readonly type: "keystore"; readonly path: string; readonly password: PasswordPlace };

/** Where a keystore's password is stored; never on a command line. */
export type PasswordPlace =
  | { readonly type: "env"; readonly name: string }
  | { readonly type: "file"; readonly path: string };

/**
 * Provides a private key. Opening it may read files, take a second of key derivation, or involve a person. The key is passed to
 * `Crypto.signer` once at start and signs synchronously from then on.
 */
export interface KeySource {
  /**
   * Checks, without opening the key, whether it can be opened. Returns the faulty part of the place and a message, or undefined
   * when nothing is wrong.
   */
  mistake(): { readonly at: readonly string[]; readonly message: string } | undefined;
  /** The key, 32 bytes. Rejects with TouchlineError, which never contains the key or the password. */
  open(): Promise<Uint8Array>;
}
