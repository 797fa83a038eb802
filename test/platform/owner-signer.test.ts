import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ownerCommandSigner, ownerKeySigner } from "../../src/platform/owner-signer.ts";
import { type LogFields, silentLog } from "../../src/ports/log.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { isRunning } from "../support/is-running.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testCrypto } from "../support/venue.ts";

const module = new URL("../../src/platform/owner-signer.ts", import.meta.url).href;
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
      ownerCommandSigner(signer.address, commandOf(code), {}, { crypto, log: silentLog });
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
    const missing = ownerCommandSigner(signer.address, none, {}, { crypto, log: silentLog });
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
        { crypto, log: silentLog },
      ).signTypedData({ typedData: {}, digest });
    expect(await leaves(`echo ${good}`, 10_000)).toBe(good);
    await expect(leaves("sleep 15", 200)).rejects.toThrow("gave no signature within 0.2 s");
  }, 12_000);

  test("is not read on from a program that prints too much, nor from one that it started", async () => {
    const crypto = await testCrypto();
    const digest = crypto.keccak256(new Uint8Array([1]));
    const prints = (script: string) =>
      ownerCommandSigner(
        crypto.signer(new Uint8Array(32).fill(0x33)).address,
        { command: ["/bin/sh", "-c", `exec 2>/dev/null; ${script}`], timeoutMs: 10_000, pass: [] },
        { PATH: process.env["PATH"] },
        { crypto, log: silentLog },
      ).signTypedData({ typedData: {}, digest });
    for (const script of ["yes", "yes & exit 0", "yes & wait"]) {
      await expect(prints(script)).rejects.toThrow("printed more than 4096 characters");
    }
  }, 12_000);

  test("is made by a program whose messages go to the log as lines that only show, and have an end", async () => {
    const crypto = await testCrypto();
    const { address } = crypto.signer(new Uint8Array(32).fill(0x33));
    const lines: unknown[] = [];
    const log = { ...silentLog, info: ({ line }: LogFields) => void lines.push(line) };
    const says = (script: string) =>
      ownerCommandSigner(
        address,
        { command: ["/bin/sh", "-c", script], timeoutMs: 10_000, pass: [] },
        { PATH: process.env["PATH"] },
        { crypto, log },
      ).signTypedData({ typedData: {}, digest: new Uint8Array(32) });
    await expect(says("printf 'touch \\033]0;x\\007the device' >&2; exit 3")).rejects.toThrow(
      "exited with 3",
    );
    expect(lines).toEqual(["touch  ]0;x the device"]);
    lines.length = 0;
    await expect(says("yes '' | head -n 8000 >&2; yes | head -n 4000 >&2")).rejects.toThrow(
      "did not print",
    );
    expect(lines).toEqual([...Array.from({ length: 100 }, () => "y"), undefined]);
    await expect(says("exec yes >&2")).rejects.toThrow("printed more than 16384 bytes");
  });

  test("is made by a program with which everything ends that it has started", async () => {
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(0x33));
    const digest = crypto.keccak256(new Uint8Array([1]));
    const good = await ownerOf(signer).signTypedData({ typedData: {}, digest });
    for (const rest of [`echo ${good}`, "sleep 15"]) {
      const { script, pid } = helperScript(rest);
      const sign = ownerCommandSigner(
        signer.address,
        { command: ["/bin/sh", "-c", script], timeoutMs: 2_000, pass: [] },
        { PATH: process.env["PATH"] },
        { crypto, log: silentLog },
      ).signTypedData({ typedData: {}, digest });
      await sign.catch(() => undefined);
      await expect.poll(() => isRunning(pid())).toBe(false);
    }
  });

  test("is not waited for by programs of a process that ends", async () => {
    const { script, file, pid } = helperScript("sleep 15");
    const code = `
      import { watch } from "node:fs";
      import { ownerCommandSigner } from "${module}";
      watch("${path.dirname(file)}", (_, name) => name === "pid" && process.exit());
      const program = { command: ["/bin/sh", "-c", ${JSON.stringify(script)}], timeoutMs: 20_000, pass: ["PATH"] };
      void ownerCommandSigner("0x", program, process.env, {}).signTypedData({ typedData: {} });`;
    const args = ["--input-type=module", "-e", code];
    await promisify(execFile)(process.execPath, args);
    await expect.poll(() => isRunning(pid())).toBe(false);
  });

  test("is made by a program that gets none of our secrets, and the variables that are named", async () => {
    const crypto = await testCrypto();
    const signer = crypto.signer(new Uint8Array(32).fill(0x33));
    const digest = crypto.keccak256(new Uint8Array([1]));
    const good = await ownerOf(signer).signTypedData({ typedData: {}, digest });
    const env = { PATH: "/bin", TOUCHLINE_KEY: key, DB_PASSWORD: "p", LEDGER: "1", LC_ALL: "C" };
    const code = `if (Object.keys(process.env).filter((name) => !name.startsWith("__")).sort().join() === "LC_ALL,LEDGER,PATH") console.log("${good}")`;
    const owner = ownerCommandSigner(signer.address, commandOf(code, ["LEDGER"]), env, {
      crypto,
      log: silentLog,
    });
    expect(await owner.signTypedData({ typedData: {}, digest })).toBe(good);
  });
});

describe("a signer program for which no file descriptor is left", () => {
  const code = `
    import { openSync } from "node:fs";
    import { ownerCommandSigner } from "${module}";
    const program = { command: ["/bin/cat"], timeoutMs: 1000, pass: [] };
    const owner = ownerCommandSigner("0x${"11".repeat(20)}", program, {}, { crypto: {}, log: {} });
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

/** A program that leaves another one behind, which closes its outputs, and then does `rest`. */
function helperScript(rest: string) {
  const file = path.join(temporaryFolder(), "pid");
  const script = `sleep 15 >/dev/null 2>&1 & echo $! > ${file}.part; mv ${file}.part ${file}; ${rest}`;
  return { file, script, pid: () => Number(readFileSync(file, "utf8")) };
}
