import { TouchlineError } from "../base/error.ts";
import { fromHex, toHex } from "../base/hex.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Keccak256 } from "../spec/transaction.ts";

/**
 * keccak-256 of the empty string (published by the Keccak team), and for private key 1 the RFC 6979 signature of it with low s
 * and the address. ethers and libsecp256k1 agree on these values.
 */
const known = {
  digest: "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  key: `0x${"1".padStart(64, "0")}`,
  signature:
    "0x03925438bf9bdfed9cb8d9d9467f8fc624f389846f0db71f4f5c84b483077da6" +
    "2ca68cb1027ace392bc6a84fe0ba29288aa07942f571f56201dd33c009ee3886",
  recovery: 1,
  address: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
} as const;

/** Returns `crypto` after it has passed a test with known values. Throws `CRYPTO_WRONG`. */
export function provenCrypto(crypto: Crypto): Crypto {
  if (isRight(crypto)) return crypto;
  throw wrong(`The ${crypto.name} library computes a wrong signature or hash.`);
}

/** Returns `keccak256` after it has passed a test with a known value. Throws `CRYPTO_WRONG`. */
export function provenKeccak256(keccak256: Keccak256): Keccak256 {
  if (toHex(keccak256(new Uint8Array())) === known.digest) return keccak256;
  throw wrong("The hash-wasm library computes a wrong hash.");
}

function wrong(message: string): TouchlineError {
  return new TouchlineError("CRYPTO_WRONG", message, {
    hint: "Reinstall the dependencies; do not trade with this installation.",
  });
}

function isRight(crypto: Crypto): boolean {
  try {
    const digest = crypto.keccak256(new Uint8Array());
    const signer = crypto.signer(fromHex(known.key) ?? new Uint8Array());
    const signature = signer.sign(digest);
    return (
      toHex(digest) === known.digest &&
      signer.address === known.address &&
      toHex(signature.rs) === known.signature &&
      signature.recovery === known.recovery &&
      crypto.recover(digest, signature.rs, signature.recovery) === known.address
    );
  } catch {
    return false;
  }
}
