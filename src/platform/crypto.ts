import { TouchlineError } from "../base/error.ts";
import type { Crypto } from "../ports/crypto.ts";
import { loadEthersCrypto } from "./crypto-ethers.ts";
import { loadNativeCrypto } from "./crypto-native.ts";
import { provenCrypto } from "./proven-crypto.ts";

export type CryptoPreference = "auto" | Crypto["name"];

/**
 * The Crypto port: native libsecp256k1 where its binding loads and proves itself, else ethers. Asking for one by name gets that
 * one or rejects with `CRYPTO_UNAVAILABLE`. `loadNative` is there for tests.
 */
export async function loadCrypto(
  preference: CryptoPreference = "auto",
  loadNative: () => Promise<Crypto> = loadNativeCrypto,
): Promise<Crypto> {
  if (preference === "ethers") return provenCrypto(await loadEthersCrypto());
  try {
    return provenCrypto(await loadNative());
  } catch (cause) {
    if (preference === "auto") return provenCrypto(await loadEthersCrypto());
    throw new TouchlineError(
      "CRYPTO_UNAVAILABLE",
      "the native secp256k1 binding is not there or does not work on this machine",
      { hint: "install the optional dependency secp256k1, or use ethers", cause },
    );
  }
}
