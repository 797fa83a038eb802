import type { Crypto } from "../ports/crypto.ts";
import { loadEthersCrypto } from "./crypto-ethers.ts";
import { loadNativeCrypto } from "./crypto-native.ts";
import { provenCrypto } from "./proven-crypto.ts";

/**
 * Loads the Crypto port: native libsecp256k1 if its binding loads, else ethers. Rejects with `CRYPTO_WRONG` when the library fails its
 * self-test: a binding that computes wrong values is no reason to sign with another library of the same installation. `loadNative` exists for tests.
 */
export async function loadCrypto(
  loadNative: () => Promise<Crypto> = loadNativeCrypto,
): Promise<Crypto> {
  return provenCrypto(await loadNative().catch(loadEthersCrypto));
}
