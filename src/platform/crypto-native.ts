import { createRequire } from "node:module";
import { assert } from "../base/assert.ts";
import { toHex } from "../base/hex.ts";
import type { Address } from "../domain/ids.ts";
import type { Crypto } from "../ports/crypto.ts";
import { isCanonicalSignature } from "../spec/curve-order.ts";
import { createKeccak256 } from "./keccak.ts";
import { secureBytes } from "./random.ts";

/**
 * The Crypto port with native libsecp256k1 and keccak in WebAssembly. Rejects when the native binding cannot be loaded.
 */
export async function loadNativeCrypto(): Promise<Crypto> {
  // The package's main file silently falls back to pure JavaScript; this one loads the binding or throws.
  const secp256k1 = createRequire(import.meta.url)(
    "secp256k1/bindings.js",
  ) as typeof import("secp256k1");
  // Blinds the multiplications with the key, so that their time and power reveal less of it.
  secp256k1.contextRandomize(secureBytes(32));
  const keccak256 = await createKeccak256();

  /** Last 20 bytes of the hash of the public key, without its leading 0x04. */
  function addressOfKey(publicKey: Uint8Array): Address {
    return toHex(keccak256(publicKey.subarray(1)).subarray(12)) as Address;
  }

  return {
    name: "secp256k1",
    keccak256,
    recover(digest, signature, recovery) {
      if (digest.length !== 32 || !isCanonicalSignature(signature)) return undefined;
      try {
        return addressOfKey(secp256k1.ecdsaRecover(signature, recovery, digest, false));
      } catch {
        // No curve point has this r, so nobody made the signature.
        return undefined;
      }
    },
    signer(privateKey) {
      const key = Uint8Array.from(privateKey);
      // Reused for all calls: V8 keeps small arrays inside its heap until native code needs their address, and moving a new
      // digest and signature out each time takes 1.5 µs.
      const kept = { digest: new Uint8Array(32), rs: new Uint8Array(64) };
      return {
        address: addressOfKey(secp256k1.publicKeyCreate(key, false)),
        sign(digest) {
          assert(digest.length === 32, "a digest of 32 bytes");
          kept.digest.set(digest);
          const { recid } = secp256k1.ecdsaSign(kept.digest, key, undefined, kept.rs);
          // 2 and 3 mean that r exceeded n: probability 2^-127, and EIP-155 cannot express it.
          assert(recid === 0 || recid === 1, "a recovery id of 0 or 1");
          return { rs: new Uint8Array(kept.rs), recovery: recid };
        },
      };
    },
  };
}
