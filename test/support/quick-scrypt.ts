import { type BinaryLike, scrypt as nativeScrypt } from "node:crypto";
import { scrypt } from "ethers";
import { afterAll, beforeAll } from "vitest";
import { openSealedKey } from "../../src/platform/keystore.ts";

/** The form of a keystore without a key in it: opening it fails at once. */
export const hollowKeystore = {
  version: 3,
  crypto: {
    cipher: "aes-128-ctr",
    ciphertext: "00",
    mac: "00",
    kdf: "pbkdf2",
    kdfparams: { c: 1 },
  },
};

/**
 * Keystores of the file's tests are sealed and opened with almost no work, whatever strength they name: half a second for each otherwise.
 * For tests of what a keystore is used for; the first test of `keystore.test.ts` has a true one.
 */
export function useQuickScrypt(): void {
  beforeAll(async () => {
    // Until then the program has not said which scrypt it uses.
    await openSealedKey(JSON.stringify(hollowKeystore), "").catch(() => undefined);
    scrypt.register((password, salt, _n, _r, _p, length) => derive(password, salt, length, 2, 1));
  });
  afterAll(() => {
    scrypt.register((password, salt, n, r, _p, length) => derive(password, salt, length, n, r));
  });
}

function derive(
  password: BinaryLike,
  salt: BinaryLike,
  length: number,
  N: number,
  r: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    nativeScrypt(password, salt, length, { N, r, maxmem: 2 ** 31 }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
