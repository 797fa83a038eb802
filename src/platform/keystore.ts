import { scrypt as nativeScrypt } from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { fromHex, toHex } from "../base/hex.ts";
import { type Address, addressOf } from "../domain/ids.ts";
import { isScalar } from "../spec/curve-order.ts";

/** Version 3 keystores ("Web3 Secret Storage"): a private key encrypted with a password, as JSON. */

const hexText = z.string().regex(/^(0x)?[0-9a-fA-F]+$/);

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
  address: hexText.optional(),
  crypto: z.intersection(
    z.object({ cipher: z.literal("aes-128-ctr"), ciphertext: hexText, mac: hexText }),
    kdf,
  ),
});

function parse(text: string): z.output<typeof keystore> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  // Both spellings of `crypto` are in use.
  const fields = typeof value === "object" && value !== null ? { ...value } : {};
  const crypto: unknown = Reflect.get(fields, "crypto") ?? Reflect.get(fields, "Crypto");
  const parsed = keystore.safeParse({ ...fields, crypto });
  if (parsed.success) return parsed.data;
  throw new TouchlineError("KEYSTORE_INVALID", "is not a keystore of version 3", {
    hint: "Create one with `touchline keystore new`, or export one from another wallet.",
  });
}

/** The address named in a keystore; undefined when it names none. Throws `KEYSTORE_INVALID`. */
export function keystoreAddress(text: string): Address | undefined {
  const { address } = parse(text);
  return address === undefined ? undefined : addressOf(`0x${address.replace(/^0x/i, "")}`);
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
  const named = keystoreAddress(text);
  const { decryptKeystoreJson } = await loadEthers();
  let opened: { readonly address: string; readonly privateKey: string };
  try {
    opened = await decryptKeystoreJson(text, password);
  } catch (error) {
    // The library's errors contain its arguments, so they are not passed on as the cause.
    const reason = error instanceof Error ? error.message : "";
    if (reason.includes("incorrect password")) {
      throw new TouchlineError("PASSWORD_WRONG", "the password is wrong");
    }
    throw new TouchlineError(
      "KEYSTORE_INVALID",
      "cannot be decrypted: it is damaged, or was created in an unusual way",
    );
  }
  const key = fromHex(opened.privateKey);
  if (
    key === undefined ||
    !isScalar(key) ||
    (named !== undefined && addressOf(opened.address) !== named)
  ) {
    throw new TouchlineError("KEYSTORE_INVALID", "holds a key that does not match its address");
  }
  return key;
}
