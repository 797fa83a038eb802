import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ownerCommandSigner, ownerKeySigner } from "../../src/platform/owner-signer.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { testCrypto } from "../support/venue.ts";

const key = `0x${"33".repeat(32)}`;

describe("an owner's signature", () => {
  test("is made by a key in a variable, which must be the owner's", async () => {
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(0x33));
    const request = { typedData: {}, digest: crypto.keccak256(new Uint8Array([1])) };
    const place = { type: "env", name: "OWNER" } as const;
    const owner = ownerKeySigner(signer.address, place, { OWNER: key }, crypto);
    expect(await owner.signTypedData(request)).toBe(await ownerOf(signer).signTypedData(request));
    const other = ownerKeySigner(signer.address, place, { OWNER: `0x${"34".repeat(32)}` }, crypto);
    await expect(other.signTypedData(request)).rejects.toMatchObject({ code: "KEY_INVALID" });
  });

  test("is made by a program that gets the typed data, and its output is checked", async () => {
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(0x33));
    const digest = crypto.keccak256(new Uint8Array([1]));
    const good = await ownerOf(signer).signTypedData({ typedData: {}, digest });
    const program = (code: string) =>
      ownerCommandSigner(signer.address, commandOf(code), {}, crypto);
    const response = `process.stdin.on("data", (text) => { if (JSON.parse(text).message.nonce === "0") console.log("${good}"); });`;
    const request = { typedData: { message: { nonce: "0" } }, digest };
    expect(await program(response).signTypedData(request)).toBe(good);
    for (const bad of [
      "console.log('nothing')",
      "process.exit(3)",
      `console.log("${good.replace(/.{4}$/, "001b")}")`,
      "setInterval(() => console.log('x'.repeat(1000)), 1)",
    ]) {
      await expect(program(bad).signTypedData(request)).rejects.toMatchObject({
        code: "OWNER_SIGNATURE",
      });
    }
    const none = { command: ["/no/such/program"], timeoutMs: 1000, pass: [] };
    const missing = ownerCommandSigner(signer.address, none, {}, crypto);
    await expect(missing.signTypedData(request)).rejects.toThrow("cannot be started");
  });

  test("is not waited for when the program has ended and one that it started holds its output open", async () => {
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(0x33));
    const digest = crypto.keccak256(new Uint8Array([1]));
    const good = await ownerOf(signer).signTypedData({ typedData: {}, digest });
    const leaves = (rest: string, timeoutMs: number) =>
      ownerCommandSigner(
        signer.address,
        // The helper ends by itself, after the test. With our standard error open it would keep this process from ending.
        {
          command: ["/bin/sh", "-c", `exec 2>/dev/null; sleep 15 & ${rest}`],
          timeoutMs,
          pass: [],
        },
        { PATH: process.env["PATH"] },
        crypto,
      ).signTypedData({ typedData: {}, digest });
    expect(await leaves(`echo ${good}`, 10_000)).toBe(good);
    await expect(leaves("sleep 15", 200)).rejects.toThrow("was killed by SIGKILL");
  }, 12_000);

  test("is not read on from a program that prints too much, nor from one that it started", async () => {
    const crypto = await testCrypto();
    const digest = crypto.keccak256(new Uint8Array([1]));
    const prints = (script: string) =>
      ownerCommandSigner(
        crypto.signer(new Uint8Array(32).fill(0x33)).address,
        { command: ["/bin/sh", "-c", `exec 2>/dev/null; ${script}`], timeoutMs: 10_000, pass: [] },
        { PATH: process.env["PATH"] },
        crypto,
      ).signTypedData({ typedData: {}, digest });
    for (const script of ["yes", "yes & exit 0", "yes & wait"]) {
      await expect(prints(script)).rejects.toThrow("printed more than 4096 characters");
    }
  }, 12_000);

  test("is made by a program that gets none of our secrets, and the variables that are named", async () => {
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(0x33));
    const digest = crypto.keccak256(new Uint8Array([1]));
    const good = await ownerOf(signer).signTypedData({ typedData: {}, digest });
    const env = { PATH: "/bin", TOUCHLINE_KEY: key, DB_PASSWORD: "p", LEDGER: "1", LC_ALL: "C" };
    const code = `if (Object.keys(process.env).filter((name) => !name.startsWith("__")).sort().join() === "LC_ALL,LEDGER,PATH") console.log("${good}")`;
    const owner = ownerCommandSigner(signer.address, commandOf(code, ["LEDGER"]), env, crypto);
    expect(await owner.signTypedData({ typedData: {}, digest })).toBe(good);
  });
});

describe("a signer program for which no file descriptor is left", () => {
  const code = `
    import { openSync } from "node:fs";
    import { ownerCommandSigner } from "${new URL("../../src/platform/owner-signer.ts", import.meta.url).href}";
    const program = { command: ["/bin/cat"], timeoutMs: 1000, pass: [] };
    const owner = ownerCommandSigner("0x${"11".repeat(20)}", program, {}, {});
    try {
      for (;;) openSync("/dev/null");
    } catch {}
    await owner.signTypedData({ typedData: {}, digest: new Uint8Array(32) }).catch(({ code }) => process.stdout.write(code));
    setTimeout(() => process.stdout.write(" and goes on"), 10);`;

  test.skipIf(process.platform === "win32")("is an error, and the process goes on", async () => {
    const args = ["-c", 'ulimit -n 60; exec "$@"', "sh", process.execPath];
    const run = promisify(execFile)("/bin/sh", [...args, "--input-type=module", "-e", code]);
    expect((await run).stdout).toBe("OWNER_SIGNATURE and goes on");
  });
});

function commandOf(code: string, pass: readonly string[] = []) {
  return { command: [process.execPath, "-e", code], timeoutMs: 10_000, pass };
}
