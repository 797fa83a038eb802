/** Where a private key lies. */
export type KeyPlace =
  | { readonly type: "env"; readonly name: string }
  | { readonly type: "keystore"; readonly path: string; readonly password: PasswordPlace };

/** Where a keystore's password lies; never on a command line. */
export type PasswordPlace =
  | { readonly type: "env"; readonly name: string }
  | { readonly type: "file"; readonly path: string };

/**
 * The asynchronous port of keys: opening one may take files, a second of key derivation, a person. What comes out is given to
 * `Crypto.signer` once, at the start, and signs synchronously from then on.
 */
export interface KeySource {
  /**
   * What keeps the key from being opened, as far as that can be told without opening it: the part of the place, and a sentence.
   */
  mistake(): { readonly at: readonly string[]; readonly message: string } | undefined;
  /** 32 bytes. Rejects with TouchlineError; neither the key nor a password ever stands in it. */
  open(): Promise<Uint8Array>;
}
