import { scrypt as nativeScrypt } from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { type Address, addressOf } from "../domain/ids.ts";
import { isScalar } from "../spec/curve-order.ts";

/** Version 3 keystores ("Web3 Secret Storage"): a private key encrypted with a password, as JSON. */

const hexText = z.string().regex(/^[0-9a-fA-F]+$/);

/** Limits what a file can demand of this machine: 1 GiB of memory for scrypt, about a minute for pbkdf2. */
const kdf = z.union([
  z.object({
    kdf: z.literal("scrypt"),
    kdfparams: z
      .object({
        n: z
          .int()
          .min(2)
          .max(1 << 20),
        r: z.int().min(1).max(16),
        p: z.int().min(1).max(16),
      })
      .refine(({ n, r }) => 128 * n * r <= 1 << 30),
  }),
  z.object({
    kdf: z.literal("pbkdf2"),
    kdfparams: z.object({ c: z.int().min(1).max(10_000_000) }),
  }),
]);
const keystore = z.object({
  version: z.literal(3),
  address: hexText.or(z.literal("")).nullish(),
  crypto: z.intersection(
    z.object({ cipher: z.literal("aes-128-ctr"), ciphertext: hexText, mac: hexText }),
    kdf,
  ),
});

/** Wallets write hex with `0x`, with `0X` or with neither, and `crypto` with a small or a capital C: `text` has one form. */
function parse(text: string): { readonly text: string; readonly address: Address | undefined } {
  let value: unknown;
  try {
    value = JSON.parse(text, (_, part: unknown) =>
      typeof part === "string" ? part.replace(/^0x/i, "") : part,
    );
  } catch {
    value = undefined;
  }
  const written = typeof value === "object" && value !== null ? { ...value } : {};
  const crypto: unknown = Reflect.get(written, "crypto") ?? Reflect.get(written, "Crypto");
  const fields = { ...written, crypto };
  const parsed = keystore.safeParse(fields);
  if (parsed.success) {
    const { address } = parsed.data;
    return {
      text: JSON.stringify(fields),
      address: address ? addressOf(`0x${address}`) : undefined,
    };
  }
  throw new TouchlineError("KEYSTORE_INVALID", "is not a keystore of version 3", {
    hint: "Create one with `touchline keystore new`, or export one from another wallet.",
  });
}

/** The address named in a keystore; undefined when it names none. Throws `KEYSTORE_INVALID`. */
export function keystoreAddress(text: string): Address | undefined {
  return parse(text).address;
}

type Scrypt = (
  password: Uint8Array,
  salt: Uint8Array,
  length: number,
  options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
) => Promise<Buffer>;
const scryptAsync: Scrypt = promisify(nativeScrypt);
const SCRYPT_MEMORY = 2 ** 31;

/** ethers with Node's scrypt, which is twice as fast and runs on another thread. */
async function loadEthers() {
  const ethers = await import("ethers");
  if (!isRegistered) {
    ethers.scrypt.register((password, salt, N, r, p, length) =>
      scryptAsync(password, salt, length, { N, r, p, maxmem: SCRYPT_MEMORY }),
    );
    isRegistered = true;
  }
  return ethers;
}
let isRegistered = false;

/** Encrypts a key with scrypt (n 131072, r 8, p 1). Takes about half a second. */
export async function sealKey(privateKey: Uint8Array, password: string): Promise<string> {
  const { computeAddress, encryptKeystoreJson } = await loadEthers();
  const hex = toHex(privateKey);
  const text = await encryptKeystoreJson(
    { address: computeAddress(hex), privateKey: hex },
    password,
  );
  return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
}

/** Decrypts a keystore. Rejects with `KEYSTORE_INVALID`, `PASSWORD_WRONG` or `KEY_INVALID`. */
export async function openSealedKey(text: string, password: string): Promise<Uint8Array> {
  const { text: sealed, address } = parse(text);
  // ethers replaces some signs before it hashes a password (NFKC), geth and others take its bytes as they are.
  for (const form of new Set([password.normalize("NFKC"), password])) {
    const opened = await tryPassword(sealed, new TextEncoder().encode(form));
    if (opened === undefined) continue;
    const key = fromHex(opened.privateKey);
    if (
      key === undefined ||
      !isScalar(key) ||
      (address !== undefined && addressOf(opened.address) !== address)
    ) {
      throw new TouchlineError("KEYSTORE_INVALID", "holds a key that does not match its address");
    }
    return key;
  }
  throw new TouchlineError("PASSWORD_WRONG", "the password is wrong");
}

/** Undefined when the password is wrong. */
async function tryPassword(
  text: string,
  password: Uint8Array,
): Promise<{ readonly address: string; readonly privateKey: string } | undefined> {
  const { decryptKeystoreJson } = await loadEthers();
  try {
    return await decryptKeystoreJson(text, password);
  } catch (error) {
    // The library's errors contain its arguments, so they are not passed on as the cause.
    if (error instanceof Error && error.message.includes("incorrect password")) return undefined;
    throw new TouchlineError(
      "KEYSTORE_INVALID",
      "cannot be decrypted: it is damaged, or was created in an unusual way",
    );
  }
}
