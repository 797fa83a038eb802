import { TouchlineError } from "../base/error.ts";
import { fromHex } from "../base/hex.ts";
import { isScalar } from "../spec/curve-order.ts";
import { secureBytes } from "./random.ts";

/**
 * Reads the private key (32 bytes) from environment variable `name`: 0x and 64 hex digits. Throws `KEY_MISSING` or `KEY_INVALID`;
 * no error contains the value.
 */
export function privateKeyFromEnv(
  name: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Uint8Array {
  const text = env[name]?.trim();
  const hint = `Set ${name} to the private key of the signer: 0x and 64 hex digits.`;
  if (text === undefined || text === "") {
    throw new TouchlineError("KEY_MISSING", `the environment variable ${name} is not set`, {
      context: { name },
      hint,
    });
  }
  const key = /^0x[0-9a-f]{64}$/i.test(text) ? fromHex(text) : undefined;
  if (key === undefined || !isScalar(key)) {
    throw new TouchlineError("KEY_INVALID", `${name} does not hold a private key`, {
      context: { name },
      hint,
    });
  }
  return key;
}

/** Generates a random private key, 32 bytes. */
export function newPrivateKey(): Uint8Array {
  for (;;) {
    const key = secureBytes(32);
    if (isScalar(key)) return key;
  }
}
