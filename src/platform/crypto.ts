import { TouchlineError } from "../base/error.ts";
import type { Crypto } from "../ports/crypto.ts";
import { loadEthersCrypto } from "./crypto-ethers.ts";
import { loadNativeCrypto } from "./crypto-native.ts";
import { provenCrypto } from "./proven-crypto.ts";

export type CryptoPreference = "auto" | Crypto["name"];

/**
 * Loads the Crypto port: native libsecp256k1 if its binding loads, else ethers. A named preference gets exactly that library or rejects
 * with `CRYPTO_UNAVAILABLE`. Rejects with `CRYPTO_WRONG` when the library fails its self-test: a binding that computes wrong values is
 * no reason to sign with another library of the same installation. `loadNative` exists for tests.
 */
export async function loadCrypto(
  preference: CryptoPreference = "auto",
  loadNative: () => Promise<Crypto> = loadNativeCrypto,
): Promise<Crypto> {
  if (preference === "ethers") return provenCrypto(await loadEthersCrypto());
  let native: Crypto;
  try {
    native = await loadNative();
  } catch (cause) {
    if (preference === "auto") return provenCrypto(await loadEthersCrypto());
    throw new TouchlineError(
      "CRYPTO_UNAVAILABLE",
      "The native secp256k1 binding is missing or cannot be loaded on this machine.",
      { hint: "Install the optional dependency secp256k1, or use ethers.", cause },
    );
  }
  return provenCrypto(native);
}
