import { execFileSync, spawn } from "node:child_process";
import { createCipheriv, pbkdf2Sync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { keccak256 } from "ethers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLog } from "../../src/cli/log.ts";
import { openPaperVenue } from "../../src/cli/paper-venue.ts";
import { loadVenueConfig } from "../../src/config/load-venue-config.ts";
import { useQuickScrypt } from "../support/quick-scrypt.ts";
import { type Ran, runLine } from "./run-line.ts";

/** The example with pbkdf2 of the Web3 Secret Storage definition, version 3: made by another program, without an address. */
const published = JSON.stringify({
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
    ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    kdf: "pbkdf2",
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: "hmac-sha256",
      salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
    },
    mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
  },
  id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  version: 3,
});
const publishedKey = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
const publishedAddress = "0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b";

const env = {
  TOUCHLINE_KEY: `0x${"11".repeat(32)}`,
  PASSWORD: "a long enough password",
  WRONG: "another password, wrong",
  PUBLISHED: "testpassword",
  MOUNTED: "testpassword\n",
  WINDOWS: "\uFEFFtestpassword\r\n\r\n",
  MOUNTED_KEY: `0x${"11".repeat(32)}\n`,
  SIGNS: "№5 ½ ﬁn",
};
const ownAddress = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a";

let folder = "";
const at = (name: string): string => path.join(folder, name);
const said: Ran[] = [];
async function type(...argv: string[]): Promise<Ran> {
  const ran = await runLine([...argv, "--json"], env);
  said.push(ran);
  return ran;
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-keys-"));
  writeFileSync(at("published.json"), published, { mode: 0o600 });
  writeFileSync(at("no.json"), "{}");
  writeFileSync(at("password"), `${env.PASSWORD}\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  const everything = JSON.stringify(said);
  for (const secret of [...Object.values(env), publishedKey]) {
    expect(everything).not.toContain(secret.replace(/^0x/, ""));
  }
});

// With true key derivation: half a second each time.
test("importing a key prints its address; the file is private and never overwritten", async () => {
  const imported = await type(
    "keystore",
    "import",
    at("keys/a.json"),
    "--password-env",
    "PASSWORD",
  );
  expect(imported).toMatchObject({
    code: 0,
    events: [{ event: "keystore.import", address: ownAddress }],
  });
  expect(statSync(at("keys/a.json")).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(at("keys/a.json"), "utf8"))).toMatchObject({ version: 3 });
  expect((await type("keystore", "show", at("keys/a.json"))).events).toEqual([
    { event: "keystore.show", file: at("keys/a.json"), address: ownAddress, opened: false },
  ]);
  const file = ["--password-file", at("password")];
  expect((await type("keystore", "show", at("keys/a.json"), ...file)).events).toMatchObject([
    { address: ownAddress, opened: true },
  ]);
  const again = await type("keystore", "new", at("keys/a.json"), "--password-env", "PASSWORD");
  expect(again).toMatchObject({ code: 1, events: [{ code: "FILE_EXISTS" }] });
  chmodSync(at("keys/a.json"), 0o644);
  expect((await type("keystore", "show", at("keys/a.json"))).err).toContain("chmod 600");
});

describe("with almost no key derivation", () => {
  useQuickScrypt();

  test.skipIf(process.platform === "win32")(
    "a created keystore opens with its password, which comes through a pipe",
    async () => {
      const pipe = at("pipe");
      execFileSync("mkfifo", [pipe]);
      const writer = spawn("/bin/sh", ["-c", 'cat "$0" >"$1"', at("password"), pipe]);
      const made = await type("keystore", "new", at("piped.json"), "--password-file", pipe);
      expect(made).toMatchObject({ code: 0, events: [{ event: "keystore.new" }] });
      const address = made.events[0]?.["address"];
      expect(address).toMatch(/^0x[0-9a-f]{40}$/);
      expect(address).not.toBe(ownAddress);
      expect(writer.exitCode ?? (await once(writer, "exit"))[0]).toBe(0);
      const file = ["--password-file", at("password")];
      expect((await type("keystore", "show", at("piped.json"), ...file)).events).toMatchObject([
        { address, opened: true },
      ]);
    },
  );
});

test("another program's keystore opens, and a wrong password is exit 1 with an explanation", async () => {
  const show = (name: string) =>
    type("keystore", "show", at("published.json"), "--password-env", name);
  expect(await show("PUBLISHED")).toMatchObject({
    code: 0,
    events: [{ address: publishedAddress, opened: true }],
  });
  const wrong = await show("WRONG");
  expect(wrong).toMatchObject({ code: 1, events: [{ code: "PASSWORD_WRONG" }] });
  expect(wrong.err).toContain(`The password of ${at("published.json")} is wrong.`);
  // It says no address of its own, so the password is needed.
  expect(await type("keystore", "show", at("published.json"))).toMatchObject({
    code: 1,
    events: [{ code: "KEYSTORE_NAMELESS" }],
  });
});

test("a keystore opens as other programs write it: byte order marks, 0X, an empty address, a password's bytes as they are", async () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");
  // As `published` has it, but with almost no key derivation.
  const quick = gethKeystore("testpassword");
  const prefixed = quick.replace(/"([0-9a-f]{32,})"/g, '"0X$1"');
  const withAddress = (address: unknown): string =>
    JSON.stringify({ ...(JSON.parse(quick) as object), address });
  const files: Record<string, string | Buffer> = {
    bom: `\uFEFF${quick}`,
    utf16: utf16(quick),
    utf16be: utf16(quick).swap16(),
    prefixed,
    empty: withAddress(""),
    null: withAddress(null),
    upper: withAddress(publishedAddress.toUpperCase()),
    geth: gethKeystore("№5 ½ ﬁn"),
    ethers: gethKeystore("№5 ½ ﬁn".normalize("NFKC")),
  };
  for (const [name, content] of Object.entries(files)) {
    const file = at(`${name}.json`);
    writeFileSync(file, content, { mode: 0o600 });
    const password = ["geth", "ethers"].includes(name) ? "SIGNS" : "PUBLISHED";
    const shown = await type("keystore", "show", file, "--password-env", password);
    expect(shown, name).toMatchObject({ code: 0, events: [{ opened: true }] });
  }
});

test("line breaks at the end of a password or key and a byte order mark before it do not count", async () => {
  writeFileSync(at("quick.json"), gethKeystore("testpassword"), { mode: 0o600 });
  for (const name of ["MOUNTED", "WINDOWS"]) {
    const shown = await type("keystore", "show", at("quick.json"), "--password-env", name);
    expect(shown, name).toMatchObject({ code: 0, events: [{ opened: true }] });
    const file = at(name);
    writeFileSync(file, env[name as "MOUNTED"]);
    const read = await type("keystore", "show", at("quick.json"), "--password-file", file);
    expect(read, name).toMatchObject({ code: 0, events: [{ opened: true }] });
  }
  const keyEnv = ["--key-env", "MOUNTED_KEY", "--password-env", "PASSWORD"];
  const imported = await type("keystore", "import", at("mounted.json"), ...keyEnv);
  expect(imported).toMatchObject({ code: 0, events: [{ address: ownAddress }] });
});

/** The published key, encrypted by the bytes of the password as they are. */
function gethKeystore(password: string): string {
  const salt = Buffer.alloc(32, 1);
  const iv = Buffer.alloc(16, 2);
  const derived = pbkdf2Sync(password, salt, 1, 32, "sha256");
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = cipher.update(Buffer.from(publishedKey.slice(2), "hex"));
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2);
  const kdfparams = { c: 1, dklen: 32, prf: "hmac-sha256", salt: salt.toString("hex") };
  const cipherparams = { iv: iv.toString("hex") };
  const crypto = { cipher: "aes-128-ctr", cipherparams, ciphertext: ciphertext.toString("hex") };
  return JSON.stringify({ version: 3, crypto: { ...crypto, kdf: "pbkdf2", kdfparams, mac } });
}

test("a missing password, file or terminal and a file that is no keystore are explained", async () => {
  const cases: [argv: string[], code: number, error: string][] = [
    [["show", at("published.json"), "--password-env", "NOT_SET"], 2, "PASSWORD_MISSING"],
    [["show", at("published.json"), "--password-file", at("none")], 2, "PASSWORD_MISSING"],
    [["show", at("none.json")], 1, "KEYSTORE_MISSING"],
    [["show", at("no.json")], 1, "KEYSTORE_INVALID"],
    [["new", at("b.json")], 2, "USAGE"],
    [["new", at("b.json"), "--password-env", "PASSWORD", "--password-stdin"], 2, "USAGE"],
    [
      ["import", at("b.json"), "--key-env", "PASSWORD", "--password-env", "WRONG"],
      2,
      "KEY_INVALID",
    ],
  ];
  for (const [argv, code, error] of cases) {
    expect(await type("keystore", ...argv)).toMatchObject({ code, events: [{ code: error }] });
  }
  // Key derivation parameters that would take hours.
  writeFileSync(at("greedy.json"), published.replace("262144", "1073741824"));
  expect(await type("keystore", "show", at("greedy.json"))).toMatchObject({
    code: 1,
    events: [{ code: "KEYSTORE_INVALID" }],
  });
});

test("a config refers to a keystore relative to itself; it is checked and signs manual orders", async () => {
  const config = (signer: string) => {
    writeFileSync(
      at("bot.yaml"),
      `venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1001 }
account: { signer: ${signer} }
strategies: [{ name: a, plugin: pure-market-making, market: 1_2, params: { bidSpread: 0.1%, askSpread: 0.1%, size: "1" } }]
`,
    );
    return at("bot.yaml");
  };
  const good = config("{ type: keystore, path: published.json, password: { env: PUBLISHED } }");
  expect(await type("check", good)).toMatchObject({ code: 0, events: [{ warnings: [] }] });
  const unset = config("{ type: env, name: NOT_SET }");
  expect(await type("check", unset)).toMatchObject({
    events: [
      { warnings: [expect.stringMatching(/NOT_SET is not set; set NOT_SET .* hex digits\.$/)] },
    ],
  });
  config("{ type: keystore, path: published.json, password: { env: PUBLISHED } }");

  const venue = await openPaperVenue({
    config: loadVenueConfig(undefined, { overrides: ["flow=none"] }),
    host: "127.0.0.1",
    port: 0,
    log: openLog("warn", {}),
  });
  try {
    const order = ["order", "place", "1_2", "buy", "1", "1800", "--venue", venue.rest];
    expect(await type(...order, "--config", good)).toMatchObject({
      code: 0,
      events: [
        { status: "NEW", accountAddress: expect.stringMatching(new RegExp(publishedAddress, "i")) },
      ],
    });
  } finally {
    await venue.close();
  }

  const mistakes: [signer: string, said: string][] = [
    [
      "{ type: keystore, path: none.json, password: { env: PUBLISHED } }",
      "account.signer.path: there is no keystore",
    ],
    [
      "{ type: keystore, path: no.json, password: { env: PUBLISHED } }",
      "is not a keystore of version 3",
    ],
    [
      "{ type: keystore, path: published.json, password: { env: NOT_SET } }",
      "account.signer.password: the environment variable NOT_SET is not set",
    ],
    [
      "{ type: keystore, path: published.json, password: { file: none } }",
      "account.signer.password: there is no password file",
    ],
    ["{ type: keystore, path: published.json, password: hunter2 }", "account.signer.password:"],
    [
      "{ type: keystore, path: published.json, password: {} }",
      "must be { env: NAME } or { file: PATH }",
    ],
  ];
  for (const [signer, sentence] of mistakes) {
    const ran = await type("run", config(signer));
    expect(ran).toMatchObject({ code: 2, events: [{ code: "CONFIG_INVALID" }] });
    expect(ran.err).toContain(sentence);
    expect(ran.err).toContain("bot.yaml:2:");
  }
  const wrong = await type(
    "run",
    config("{ type: keystore, path: published.json, password: { env: WRONG } }"),
  );
  expect(wrong).toMatchObject({ code: 1, events: [{ code: "PASSWORD_WRONG" }] });
});
