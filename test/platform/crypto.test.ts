import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/base/hex.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { loadEthersCrypto } from "../../src/platform/crypto-ethers.ts";
import { loadNativeCrypto } from "../../src/platform/crypto-native.ts";
import { privateKeyFromEnv } from "../../src/platform/keys.ts";

const ethers = await loadEthersCrypto();
// The native binding is optional; without it there is nothing to compare.
const loaded = await loadNativeCrypto().catch(() => undefined);
const native = loaded ?? ethers;

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function word(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex"));
}

const scalar = fc.bigInt({ min: 1n, max: order - 1n }).map(word);
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe.skipIf(loaded === undefined)("the two implementations", () => {
  it("agree on hashes across block borders", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(native.keccak256(bytes)).toEqual(ethers.keccak256(bytes));
      }),
    );
  });

  it("agree on signatures and recover each other's signer", () => {
    fc.assert(
      fc.property(scalar, digest, (key, hash) => {
        const one = native.signer(key);
        const other = ethers.signer(key);
        const signature = one.sign(hash);
        expect(one.address).toBe(other.address);
        expect(signature).toEqual(other.sign(hash));
        expect(ethers.recover(hash, signature.rs, signature.recovery)).toBe(one.address);
        expect(native.recover(hash, signature.rs, signature.recovery)).toBe(one.address);
      }),
      { numRuns: 40 },
    );
  });

  it("agree on invalid signatures", () => {
    fc.assert(
      fc.property(
        scalar,
        scalar,
        digest,
        fc.constantFrom(0 as const, 1 as const),
        (r, s, hash, recovery) => {
          const rs = new Uint8Array([...r, ...s]);
          expect(native.recover(hash, rs, recovery)).toBe(ethers.recover(hash, rs, recovery));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([ethers, native])(
    "$name recovers no signer from a high s, an r of 0 or n, or a wrong length",
    (crypto) => {
      const hash = word(5n);
      const { rs, recovery } = crypto.signer(word(3n)).sign(hash);
      const low = BigInt(toHex(rs.subarray(32)));
      const flipped = recovery === 0 ? 1 : 0;
      const highS = new Uint8Array([...rs.subarray(0, 32), ...word(order - low)]);
      expect(crypto.recover(hash, highS, flipped)).toBeUndefined();
      for (const r of [word(0n), word(order)]) {
        expect(crypto.recover(hash, new Uint8Array([...r, ...rs.subarray(32)]), 0)).toBeUndefined();
      }
      expect(crypto.recover(hash, rs.subarray(1), recovery)).toBeUndefined();
      expect(crypto.recover(hash.subarray(1), rs, recovery)).toBeUndefined();
    },
  );
});

describe("loadCrypto", () => {
  it.skipIf(loaded === undefined)("takes the native binding where it is proven", async () => {
    expect((await loadCrypto()).name).toBe("secp256k1");
  });

  it("falls back to ethers when the binding cannot be loaded", async () => {
    const load = () => Promise.reject(new Error("no native build was found"));
    expect(await loadCrypto(load)).toMatchObject({ name: "ethers" });
  });

  const wrong: Readonly<Record<string, () => Promise<Crypto>>> = {
    "throws when it signs": () =>
      Promise.resolve({
        ...native,
        signer: () => {
          throw new Error("unknown error on signing");
        },
      }),
    "hashes wrong": () => Promise.resolve({ ...native, keccak256: () => new Uint8Array(32) }),
    "recovers nobody": () => Promise.resolve({ ...native, recover: () => undefined }),
    "signs with other nonces": () =>
      Promise.resolve({
        ...native,
        signer: (key) => ({
          address: native.signer(key).address,
          sign: () => native.signer(key).sign(new Uint8Array(32)),
        }),
      }),
  };

  it.each(Object.entries(wrong))("loads nothing when the binding %s", async (_, load) => {
    await expect(loadCrypto(load)).rejects.toMatchObject({ code: "CRYPTO_WRONG" });
  });

  it.skipIf(loaded === undefined)("blinds the native library's context", async () => {
    const secp256k1 = createRequire(import.meta.url)(
      "secp256k1/bindings.js",
    ) as typeof import("secp256k1");
    const randomize = vi.spyOn(secp256k1, "contextRandomize");
    await loadNativeCrypto();
    await loadNativeCrypto();
    const [first, second] = randomize.mock.calls.map(([seed]) => toHex(seed));
    expect(first).toHaveLength(66);
    expect(second).not.toBe(first);
  });

  it("never loads elliptic, on which the native binding's package depends", async () => {
    const code = `
      const { createRequire } = await import("node:module");
      const { loadCrypto } = await import(process.argv[1]);
      const crypto = await loadCrypto();
      crypto.signer(new Uint8Array(32).fill(1)).sign(crypto.keccak256(new Uint8Array()));
      console.log(Object.keys(createRequire(process.argv[1]).cache).join("\\n"));
    `;
    const file = path.join(import.meta.dirname, "../../src/platform/crypto.ts");
    const args = ["--input-type=module", "-e", code, file];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    if (loaded !== undefined) expect(stdout).toContain("secp256k1");
    expect(stdout).not.toContain("elliptic");
  });
});

describe("privateKeyFromEnv", () => {
  const good = `0x${"0a".repeat(32)}`;

  it("reads a key of 32 bytes", () => {
    expect(toHex(privateKeyFromEnv("KEY", { KEY: good }))).toBe(good);
  });

  it.each([
    ["KEY_MISSING", undefined],
    ["KEY_MISSING", ""],
    ["KEY_INVALID", good.slice(2)],
    ["KEY_INVALID", `${good}00`],
    ["KEY_INVALID", `0x${"00".repeat(32)}`],
    ["KEY_INVALID", toHex(word(order))],
  ])("answers %s for %j and never shows the value", (code, value) => {
    let thrown: unknown;
    try {
      privateKeyFromEnv("KEY", { KEY: value });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code, hint: expect.stringContaining("KEY") });
    if (value) expect(JSON.stringify(thrown) + String(thrown)).not.toContain(value);
  });
});
