import { fromHex } from "../base/hex.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Environment } from "./parse-yaml.ts";

/** Order of secp256k1: a private key lies between 1 and this less 1. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The private key in an environment variable: 32 bytes as hex, with or without 0x. The refusal never repeats it. */
export function readSignerKey(name: string, env: Environment): Result<Uint8Array, string> {
  const written = env[name]?.trim();
  if (written === undefined || written === "") {
    return err(
      `the environment variable ${name} is not set; it holds the private key, 0x and 64 hex digits`,
    );
  }
  const bytes = fromHex(written.startsWith("0x") ? written : `0x${written}`);
  if (bytes === undefined || bytes.length !== 32) {
    return err(
      `the environment variable ${name} does not hold a private key, 0x and 64 hex digits`,
    );
  }
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  if (value === 0n || value >= curveOrder) {
    return err(`the environment variable ${name} holds a number that no private key can be`);
  }
  return ok(bytes);
}
