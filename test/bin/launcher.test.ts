import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const repository = path.resolve(import.meta.dirname, "../..");

/** Prints its pid and arguments. With `exit <code>` it ends at once, else it keeps running and counts signals. */
const program = `
export async function main(args: string[]): Promise<number> {
  const { where } = await import("touchline");
  const ready = () => console.log(JSON.stringify({ pid: process.pid, args, source: where }));
  if (args[0] === "exit") {
    ready();
    return Number(args[1]);
  }
  let signals = 0;
  return await new Promise((resolve) => {
    const stay = setInterval(() => {}, 1000);
    process.on("SIGINT", () => {
      signals += 1;
      console.log(JSON.stringify({ signals }));
      if (signals > 1) process.exit(130);
      setTimeout(() => { clearInterval(stay); resolve(0); }, 900);
    });
    // Said only now: a signal before the listener stands would end the process.
    ready();
  });
}`;

/** Stands for npm: notes that it ran, and leaves the record that npm writes last. */
const fakeNpm = `
const fs = require("node:fs");
console.log("npm speaking:", process.argv.slice(2).join(" "));
fs.mkdirSync("node_modules", { recursive: true });
console.log("npm knows:", Object.keys(process.env).join(" "));
if (process.env.npm_config_fake_fails) process.exit(9);
fs.writeFileSync("node_modules/.package-lock.json", "{}");
`;

let clone: string;
beforeAll(() => {
  clone = mkdtempSync(path.join(os.tmpdir(), "touchline-launcher-"));
  cpSync(path.join(repository, "bin"), path.join(clone, "bin"), { recursive: true });
  cpSync(path.join(repository, "package.json"), path.join(clone, "package.json"));
  mkdirSync(path.join(clone, "src/cli"), { recursive: true });
  writeFileSync(path.join(clone, "src/cli/main.ts"), program);
  writeFileSync(path.join(clone, "src/index.ts"), 'export const where: string = "src";');
  mkdirSync(path.join(clone, "npm"));
  writeFileSync(path.join(clone, "npm/package.json"), '{"type":"commonjs"}');
  writeFileSync(path.join(clone, "npm/npm-cli.js"), fakeNpm);
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

interface Run {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly lines: () => Record<string, unknown>[];
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

function start(args: readonly string[], options: { flags?: string[]; env?: object } = {}): Run {
  const { npm_lifecycle_event: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [...(options.flags ?? []), path.join(clone, "bin/touchline.js"), ...args],
    {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, npm_execpath: path.join(clone, "npm/npm-cli.js"), ...options.env },
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    lines: () =>
      stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ended: new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal }));
    }),
  };
}

async function running(run: Run): Promise<number> {
  await expect.poll(run.lines, { timeout: 5000 }).not.toEqual([]);
  return Number(run.lines()[0]?.["pid"]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // In a container without a reaper a dead orphan stays in the process table.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !readFileSync(stat, "utf8").includes(") Z ");
}

/** An old Node cannot replace its process, so the program becomes a child. */
const asChild = ["--import", "data:text/javascript,delete process.execve"];

describe("installing", () => {
  test("runs npm ci once, on stderr, before the program", async () => {
    const modules = path.join(clone, "node_modules");
    rmSync(modules, { recursive: true, force: true });
    writeFileSync(path.join(clone, "package-lock.json"), "{}");

    const failing = start(["exit", "0"], { env: { npm_config_fake_fails: "1" } });
    expect(await failing.ended).toEqual({ code: 1, signal: null });
    expect(failing.stderr()).toContain("npm ci ended with exit code 9");

    const first = start(["exit", "3"], { env: { TOUCHLINE_KEY: "secret", DB_PASSWORD: "secret" } });
    expect(await first.ended).toEqual({ code: 3, signal: null });
    expect(first.stderr()).toContain("npm speaking: ci --include=dev");
    expect(first.stderr()).toMatch(/npm knows:.* PATH /);
    expect(first.stderr()).not.toContain("TOUCHLINE_KEY");
    expect(first.stderr()).not.toContain("DB_PASSWORD");
    expect(first.lines()).toHaveLength(1);

    const second = start(["exit", "0"]);
    await second.ended;
    expect(second.stderr()).toBe("");

    await sleep(20);
    writeFileSync(path.join(clone, "package-lock.json"), '{"changed":true}');
    const third = start(["exit", "0"]);
    await third.ended;
    expect(third.stderr()).toContain("npm speaking");
  });

  // In a container each start may have the process id of the one before; a full disk leaves a lock without one.
  test.each([
    ["its own process id", "process.pid"],
    // Nor does one with the id of another program prove anything.
    ["no process id", '""'],
  ])(
    "does not wait for ever for a lock that a killed start left with %s",
    async (_, content) => {
      const modules = path.join(clone, "node_modules");
      rmSync(modules, { recursive: true, force: true });
      const lock = path.join(clone, ".install.lock");
      const leave = `import fs from "node:fs"; if (!fs.existsSync("${modules}")) fs.writeFileSync("${lock}", String(${content}))`;
      const run = start(["exit", "0"], { flags: ["--import", `data:text/javascript,${leave}`] });
      const ended = await Promise.race([run.ended, sleep(20_000)]);
      if (ended === undefined) run.child.kill("SIGKILL");
      expect(ended).toEqual({ code: 0, signal: null });
      expect(run.stderr()).toContain("npm speaking");
      expect(existsSync(lock)).toBe(false);
    },
    30_000,
  );
});

describe.each([
  ["in the same process", []],
  ["as a child", asChild],
])("the program %s", (name, flags) => {
  test("opens no debugger on SIGUSR1, and goes on", async () => {
    const run = start(["stay"], { flags });
    const pid = await running(run);
    process.kill(pid, "SIGUSR1");
    if (run.child.pid !== undefined) process.kill(run.child.pid, "SIGUSR1");
    await sleep(300);
    expect(isAlive(pid)).toBe(true);
    expect(run.stderr()).not.toContain("Debugger listening");
    process.kill(pid, "SIGKILL");
    await run.ended;
  });

  test("passes arguments on and returns the exit code", async () => {
    const run = start(["exit", "7", "--json", "a b"], { flags });
    expect(await run.ended).toEqual({ code: 7, signal: null });
    expect(run.lines()).toEqual([
      { pid: expect.any(Number), args: ["exit", "7", "--json", "a b"], source: "src" },
    ]);
    expect(run.lines()[0]?.["pid"] === run.child.pid).toBe(name === "in the same process");
  });

  test.each([
    ["sent to the launcher alone", (pid: number) => process.kill(pid, "SIGINT")],
    ["sent to the whole group, like Ctrl-C", (pid: number) => process.kill(-pid, "SIGINT")],
  ])("sees one signal %s", async (_, send) => {
    const run = start([], { flags });
    await running(run);
    send(Number(run.child.pid));
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.lines().slice(1)).toEqual([{ signals: 1 }]);
  });

  test("sees a second signal", async () => {
    const run = start([], { flags });
    await running(run);
    run.child.kill("SIGINT");
    await sleep(400);
    run.child.kill("SIGINT");
    expect(await run.ended).toEqual({ code: 130, signal: null });
    expect(run.lines().slice(1)).toEqual([{ signals: 1 }, { signals: 2 }]);
  });

  test("dies with kill -9 on the launcher", async () => {
    const run = start([], { flags });
    const pid = await running(run);
    run.child.kill("SIGKILL");
    await run.ended;
    await expect.poll(() => isAlive(pid), { timeout: 2000 }).toBe(false);
  });
});

test("a program dies whose launcher was killed before it looked", () => {
  const supervise = path.join(repository, "bin", "supervise.js");
  const code = `
  const { dieWithLauncher } = await import(${JSON.stringify(supervise)});
  dieWithLauncher();
  console.log("goes on");`;
  const env = { ...process.env, TOUCHLINE_LAUNCHER: "999999999" };
  const { signal, stdout } = spawnSync(process.execPath, ["-e", code], { env, encoding: "utf8" });
  expect({ signal, stdout }).toEqual({ signal: "SIGKILL", stdout: "" });
});
