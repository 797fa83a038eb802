import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

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
      // As long as another signal may follow.
      setTimeout(() => { clearInterval(stay); resolve(0); }, args[0] === "twice" ? 60_000 : 900);
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
  clone = temporaryFolder();
  // Programs of other users run it, too.
  chmodSync(clone, 0o755);
  cpSync(path.join(repository, "bin"), path.join(clone, "bin"), { recursive: true });
  cpSync(path.join(repository, "package.json"), path.join(clone, "package.json"));
  mkdirSync(path.join(clone, "src/cli"), { recursive: true });
  writeFileSync(path.join(clone, "src/cli/main.ts"), program);
  writeFileSync(path.join(clone, "src/index.ts"), 'export const where: string = "src";');
  mkdirSync(path.join(clone, "npm"));
  writeFileSync(path.join(clone, "npm/package.json"), '{"type":"commonjs"}');
  writeFileSync(path.join(clone, "npm/npm-cli.js"), fakeNpm);
  writeFileSync(path.join(clone, "package-lock.json"), "{}");
  mkdirSync(path.join(clone, "node_modules"));
  writeFileSync(path.join(clone, "node_modules/.package-lock.json"), "{}");
  writeFileSync(path.join(clone, "stays.js"), "setInterval(() => {}, 1000)");
  mkdirSync(path.join(clone, "scripts"));
  cpSync(path.join(repository, "scripts/run-source.js"), path.join(clone, "scripts/run-source.js"));
  for (const name of ["starts-another", "names-cache"]) {
    const text = `await (await import("./run-source.js")).runSource("${name}.ts");`;
    writeFileSync(path.join(clone, `scripts/${name}.js`), text);
  }
});

interface Run {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly lines: () => Record<string, unknown>[];
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

function start(
  args: readonly string[],
  options: { flags?: string[]; env?: object; script?: string } = {},
): Run {
  const { npm_lifecycle_event: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [...(options.flags ?? []), path.join(clone, options.script ?? "bin/touchline.js"), ...args],
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
  await expect.poll(run.lines).not.toEqual([]);
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
  ])("does not wait for ever for a lock that a killed start left with %s", async (_, content) => {
    const modules = path.join(clone, "node_modules");
    rmSync(modules, { recursive: true, force: true });
    const lock = path.join(clone, ".install.lock");
    const leave = `import fs from "node:fs"; if (!fs.existsSync("${modules}")) fs.writeFileSync("${lock}", String(${content}))`;
    const run = start(["exit", "0"], { flags: ["--import", `data:text/javascript,${leave}`] });
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).toContain("npm speaking");
    expect(existsSync(lock)).toBe(false);
  });
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

  test("has the debugger that --inspect asks for, also at a fixed port", async () => {
    // Below those that the system gives to others.
    const port = 20_000 + (process.pid % 10_000);
    const run = start(["exit", "0"], { flags: [...flags, `--inspect=127.0.0.1:${port}`] });
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(run.stderr()).not.toContain("failed");
    expect(run.stderr().split("Debugger listening")).toHaveLength(3);
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
    const run = start(["twice"], { flags });
    await running(run);
    run.child.kill("SIGINT");
    await expect.poll(run.lines).toHaveLength(2);
    // Signals within 200 ms count as one.
    await sleep(300);
    run.child.kill("SIGINT");
    expect(await run.ended).toEqual({ code: 130, signal: null });
    expect(run.lines().slice(1)).toEqual([{ signals: 1 }, { signals: 2 }]);
  });

  test("dies with kill -9 on the launcher", async () => {
    const run = start([], { flags });
    const pid = await running(run);
    run.child.kill("SIGKILL");
    await run.ended;
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

test("a program dies whose launcher was killed before it looked", async () => {
  const supervised = path.join(clone, "bin/supervised.js");
  const child = spawn(process.execPath, [supervised, path.join(clone, "stays.js")], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  child.stdio[3]?.destroy();
  const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  expect(await ended).toBe("SIGKILL");
});

test("what a launched program starts is not the launcher's child", async () => {
  writeFileSync(
    path.join(clone, "starts-another.ts"),
    `import { spawnSync } from "node:child_process";
    const flags = [...process.execArgv, "--disable-sigusr1"];
    const args = [...flags, ${JSON.stringify(path.join(clone, "bin/touchline.js"))}, "exit", "7"];
    const { status, signal } = spawnSync(process.execPath, args);
    console.log(JSON.stringify({ status, signal, args: process.argv.slice(2), env: process.env }));`,
  );
  const run = start(["a"], { flags: asChild, script: "scripts/starts-another.js" });
  expect(await run.ended).toEqual({ code: 0, signal: null });
  const [line] = run.lines();
  expect(line).toMatchObject({ status: 7, signal: null, args: ["a"] });
  // A variable that marks the child would mark all that it starts.
  const added = Object.keys(Object(line?.["env"])).filter((name) => !(name in process.env));
  expect(added.filter((name) => name.startsWith("TOUCHLINE"))).toEqual([]);
});

const uids = { victim: 60_001, other: 60_002 };

/** What Node keeps compiled code in, as a program sees it that this user starts with this home and folder for temporary files. */
function cacheOf(home: string, { uid, temporary = home }: { uid?: number; temporary?: string }) {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env;
  const args = [path.join(clone, "scripts/names-cache.js")];
  const env = { ...inherited, HOME: home, TMPDIR: temporary };
  const options = { env, encoding: "utf8" } as const;
  const as = uid === undefined ? {} : { uid, gid: uid };
  const { stdout, stderr } = spawnSync(process.execPath, args, { ...options, ...as });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as { folder?: string; children: string };
}

/** A folder in which every user may make files, as /tmp. */
function sharedFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o1777);
  return folder;
}

describe("compiled code", () => {
  beforeAll(() => {
    writeFileSync(
      path.join(clone, "names-cache.ts"),
      `import { spawnSync } from "node:child_process";
      import module from "node:module";
      // As programs of npm packages do it.
      const asks = "const m = require('node:module'); m.enableCompileCache(); console.log(String(m.getCompileCacheDir()))";
      const children = spawnSync(process.execPath, ["-e", asks], { encoding: "utf8" }).stdout.trim();
      console.log(JSON.stringify({ folder: module.getCompileCacheDir(), children }));`,
    );
  });

  test("is kept in the home, in a folder of the user's alone", () => {
    const home = temporaryFolder();
    const { folder, children } = cacheOf(home, {});
    const own = path.join(realpathSync(home), ".touchline/compile-cache");
    expect(folder).toContain(own + path.sep);
    expect(children).toBe(folder);
    if (process.platform !== "win32") expect(statSync(own).mode & 0o777).toBe(0o700);
  });

  test.skipIf(process.platform === "win32")("is not kept where others can change it", () => {
    const home = temporaryFolder();
    cacheOf(home, {});
    const own = path.join(home, ".touchline/compile-cache");
    const places = [own, path.dirname(own), home];
    for (const place of places) {
      chmodSync(place, 0o777);
      expect(cacheOf(home, { temporary: sharedFolder() })).toEqual({ children: "undefined" });
      chmodSync(place, 0o700);
    }
    expect(cacheOf(home, {}).folder).toContain(own);
  });

  test.runIf(canBeAnother())("is not kept in a folder that another user made first", () => {
    for (const [name, mode] of [
      [".touchline", 0o755],
      [".touchline/compile-cache", 0o777],
    ] as const) {
      const home = sharedFolder();
      mkdirSync(path.join(home, ".touchline"));
      chownSync(path.join(home, ".touchline"), uids.victim, uids.victim);
      mkdirSync(path.join(home, name), { recursive: true });
      chmodSync(path.join(home, name), mode);
      chownSync(path.join(home, name), uids.other, uids.other);
      const { victim: uid } = uids;
      expect(cacheOf(home, { uid })).toEqual({ children: "undefined" });
    }
    const temporary = sharedFolder();
    const prepared = path.join(temporary, "node-compile-cache");
    mkdirSync(prepared);
    chmodSync(prepared, 0o777);
    chownSync(prepared, uids.other, uids.other);
    const home = sharedFolder();
    const { folder } = cacheOf(home, { uid: uids.victim, temporary });
    expect(folder).toContain(path.join(home, ".touchline/compile-cache"));
    expect(readdirSync(prepared)).toEqual([]);
  });
});

/** Root may start programs as other users, if these may run our Node. */
function canBeAnother(): boolean {
  if (process.getuid?.() !== 0) return false;
  const { victim } = uids;
  return spawnSync(process.execPath, ["-e", "0"], { uid: victim, gid: victim }).status === 0;
}
