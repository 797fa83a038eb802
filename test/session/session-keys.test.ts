import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionSettings } from "../../src/config/signer-place.ts";
import { toHex } from "../../src/base/hex.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { writeSecretFile } from "../../src/platform/keystore-file.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { silentLog } from "../../src/ports/log.ts";
import { keystoreKeys } from "../../src/session/session-keys.ts";
import { hollowKeystore } from "../support/quick-scrypt.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const key = new Uint8Array(32).fill(9);
const made = `0x${"ab".repeat(20)}`;
/** Enough of a keystore to read its address. */
const keystore = JSON.stringify({ ...hollowKeystore, address: made.slice(2) });

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

describe("the keys of a bot's sessions", () => {
  it("leave out a keystore that a kill or a power cut has left unfinished", async () => {
    const keys = path.join(temporaryFolder(), "sessions");
    mkdirSync(keys);
    writeFileSync(path.join(keys, "session-1.json"), "");
    writeFileSync(path.join(keys, "session-2.json"), keystore.slice(0, 30));
    writeFileSync(path.join(keys, "session-3.json"), keystore);
    const settings: SessionSettings = {
      stopBeforeMs: 15_000,
      renew: {
        owner: { type: "env", name: "OWNER" },
        beforeMs: 60_000,
        lifetimeMs: 120_000,
        keys,
        password: { type: "env", name: "PASSWORD" },
      },
    };
    const warnings: unknown[] = [];
    const found = await keystoreKeys({
      key: { type: "env", name: "SESSION" },
      settings,
      env: { SESSION: toHex(key) },
      crypto,
      log: { ...silentLog, warn: (fields) => void warnings.push(fields["file"]) },
    }).all();
    expect(found.map(({ address }) => address)).toEqual([crypto.signer(key).address, made]);
    expect(warnings).toEqual(
      ["session-1.json", "session-2.json"].map((name) => path.join(keys, name)),
    );
  });

  it("are written while the bot goes on, since a disk may hang", async () => {
    const folder = path.join(temporaryFolder(), "sessions");
    const order: string[] = [];
    setImmediate(() => order.push("the bot goes on"));
    await writeSecretFile(path.join(folder, "session.json"), keystore);
    order.push("the key is on disk");
    expect(order).toEqual(["the bot goes on", "the key is on disk"]);
    expect(readdirSync(folder)).toEqual(["session.json"]);
  });
});
