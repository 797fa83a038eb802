import { fromHex, toHex } from "../base/hex.ts";
import { addressOf } from "../domain/ids.ts";
import type { Crypto, Signature, Signer } from "../ports/crypto.ts";
import { isCanonicalSignature } from "../spec/curve-order.ts";

/** The Crypto port with ethers alone, in pure JavaScript. ethers is loaded only here because loading takes 0.2 s. */
export async function loadEthersCrypto(): Promise<Crypto> {
  const { SigningKey, computeAddress, keccak256 } = await import("ethers");

  function signer(privateKey: Uint8Array): Signer {
    const key = new SigningKey(privateKey);
    const address = addressOf(computeAddress(key.publicKey));
    if (address === undefined) throw new Error("ethers gave no address");
    return { address, sign: (digest) => signatureOf(key.sign(digest)) };
  }

  return {
    name: "ethers",
    keccak256: (bytes) => bytesOf(keccak256(bytes)),
    recover(digest, signature, recovery) {
      if (digest.length !== 32 || !isCanonicalSignature(signature)) return undefined;
      const r = toHex(signature.subarray(0, 32));
      const s = toHex(signature.subarray(32));
      try {
        const publicKey = SigningKey.recoverPublicKey(digest, { r, s, yParity: recovery });
        return addressOf(computeAddress(publicKey));
      } catch {
        // No curve point has this r, so nobody made the signature.
        return undefined;
      }
    },
    signer,
  };
}

function signatureOf(made: { r: string; s: string; yParity: 0 | 1 }): Signature {
  const rs = new Uint8Array(64);
  rs.set(bytesOf(made.r), 0);
  rs.set(bytesOf(made.s), 32);
  return { rs, recovery: made.yParity };
}

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === undefined) throw new Error("ethers gave no hex");
  return bytes;
}
