import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { runLine } from "./run-line.ts";

/** A newcomer's way, typed as the commands and docs say, in an empty folder of their own. */

const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = path.join(root, "bin/touchline.js");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "touchline-new-")));
  folders.push(folder);
  return folder;
}

/** Runs a command in this process. */
async function touchline(
  args: readonly string[],
  cwd: string,
  until?: (out: string) => Promise<unknown>,
) {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await runLine(args, { ...process.env, TOUCHLINE_LOG: "error" }, until);
  } finally {
    process.chdir(before);
  }
}

/** Runs `touchline test`, which writes to the terminal by itself, or the runner of Node's that it starts. */
async function node(args: readonly string[], cwd: string) {
  const env = { ...process.env, NODE_OPTIONS: "" };
  const child = spawn(process.execPath, ["--conditions=touchline-source", ...args], { cwd, env });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, "close");
  return { code, out: await out, err: await err };
}
const runTests = ["--disable-sigusr1", bin, "test"];

test("new strategy writes two files, of which the strategy runs in replay, and overwrites nothing", async () => {
  const folder = newFolder();
  const made = await touchline(["new", "strategy", "wide-spread"], folder);
  expect(made.code).toBe(0);
  // What it says to do next is what works.
  expect(made.out).toContain("bin/touchline.js test strategies/wide-spread.test.ts");
  expect(made.out).toContain("bin/touchline.js demo --strategy strategies/wide-spread.ts");
  // npx would look for the name in a registry, since it is not installed here.
  expect(made.out).not.toContain("npx");
  const written = readFileSync(path.join(folder, "strategies/wide-spread.ts"), "utf8");
  expect(written).toContain('name: "wide-spread"');
  expect(written).not.toContain("my-strategy");

  const again = await touchline(["new", "strategy", "wide-spread", "--json"], folder);
  expect(again).toMatchObject({
    code: 1,
    events: [{ code: "FILE_EXISTS", message: expect.stringMatching(/ already exist\.$/) }],
  });
  expect(readFileSync(path.join(folder, "strategies/wide-spread.ts"), "utf8")).toBe(written);
  const elsewhere = await touchline(["new", "strategy", "b", "--out", "my/own", "--json"], folder);
  expect(elsewhere.events).toEqual([
    { event: "new.strategy", name: "b", strategy: "my/own/b.ts", test: "my/own/b.test.ts" },
  ]);
  expect(await touchline(["new", "strategy", "No_Name"], folder)).toMatchObject({ code: 2 });

  const recording = ["--data", path.join(root, "config/recordings/zilusdt")];
  const market = ["--market", "1_2=ZIL_USDT", "--to", "2021-04-05T18:34:10Z"];
  const strategy = ["--strategy", "strategies/wide-spread.ts"];
  const config = path.join(root, "config/demo.yaml");
  const replayed = await touchline(
    ["replay", config, ...strategy, ...recording, ...market, "--json"],
    folder,
  );
  expect(replayed.events.at(-1)).toMatchObject({ event: "result", ordersLeft: 0 });
  expect(replayed.events.at(-1)?.["fills"]).toBeGreaterThan(0);
});

describe("init", () => {
  test("creates a project whose config is valid, whose bot trades in the demo and whose tests pass", async () => {
    const folder = newFolder();
    const made = await touchline(["init", "my-bot", "--json"], folder);
    expect(made).toMatchObject({ code: 0, events: [{ event: "init", kept: [] }] });
    const project = path.join(folder, "my-bot");
    expect(readFileSync(path.join(project, "bot.yaml"), "utf8").split("\n")[0]).toBe(
      "# yaml-language-server: $schema=./node_modules/touchline/schema/bot.json",
    );
    expect(existsSync(path.join(project, ".gitignore"))).toBe(true);
    expect(readFileSync(path.join(project, "README.md"), "utf8")).toMatch(/^# my-bot\n/);
    const { compilerOptions } = JSON.parse(
      readFileSync(path.join(project, "tsconfig.json"), "utf8"),
    );
    expect(compilerOptions).toMatchObject({
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      module: "nodenext",
      noEmit: true,
      // A clone has no built types, so the editor reads the sources.
      customConditions: ["touchline-source"],
    });
    expect(await touchline(["check", "bot.yaml", "--json"], project)).toMatchObject({ code: 0 });

    const untilFilled = async (out: string) => {
      const { dashboard } = JSON.parse(out.slice(0, out.indexOf("\n")));
      const fills = async () => (await fetch(`${dashboard}/api/v1/fills`)).text();
      await expect.poll(fills).toContain("tradeId");
    };
    // In this process, whose work must not look like a strategy that hangs.
    const set = ["--port", "0", "--set", "watchdog.maxBlocked=60s"];
    const demo = ["demo", "--config", "bot.yaml", ...set, "--json"];
    const ran = await touchline(demo, project, untilFilled);
    folders.push(String(ran.events[0]?.["journal"]));
    expect(ran.code, ran.err).toBe(0);
    const summary = ran.events.at(-1);
    expect(summary).toMatchObject({ event: "summary", ordersLeft: 0, ordersRejected: 0 });
    expect(summary?.["uptimeBid"]).toBeGreaterThan(0);
    expect(summary?.["uptimeAsk"]).toBeGreaterThan(0);
    const tested = await node(runTests, project);
    expect(tested).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/pass 3$/m) });
  });

  test("keeps existing files and completes a package.json", async () => {
    const folder = newFolder();
    const project = path.join(folder, "theirs");
    mkdirSync(project);
    writeFileSync(
      path.join(project, "package.json"),
      JSON.stringify({
        name: "theirs",
        type: "commonjs",
        scripts: { test: 'echo "Error: no test specified" && exit 1', lint: "x" },
        dependencies: { touchline: "file:../touchline.tgz" },
      }),
    );
    writeFileSync(path.join(project, "bot.yaml"), "# mine\n");
    const made = await touchline(["init", "--json"], project);
    expect(made).toMatchObject({ code: 0, events: [{ kept: ["bot.yaml"] }] });
    expect(readFileSync(path.join(project, "bot.yaml"), "utf8")).toBe("# mine\n");
    const manifest = JSON.parse(readFileSync(path.join(project, "package.json"), "utf8"));
    expect(manifest).toMatchObject({
      name: "theirs",
      type: "module",
      scripts: { test: "touchline test", lint: "x" },
      dependencies: { touchline: "file:../touchline.tgz" },
    });
    const before = readFileSync(path.join(project, "package.json"), "utf8");
    expect(await touchline(["init", "--json"], project)).toMatchObject({
      code: 0,
      events: [{ written: [] }],
    });
    expect(readFileSync(path.join(project, "package.json"), "utf8")).toBe(before);
    const { out } = await touchline(["init"], project);
    expect(out.split("\n")[0]).toBe("theirs: every file exists already.");
    // Before it, npx would ask the public registry for a package of this name.
    expect(out.split("\n").find((line) => line.startsWith("  np"))).toMatch(/^ {2}npm install /);
  });
});

test("sim runs a strategy's file in simulated worlds, and says what is wrong with its parameters", async () => {
  const folder = newFolder();
  await touchline(["new", "strategy", "wide-spread"], folder);
  const sim = ["sim", "--strategy", "strategies/wide-spread.ts", "--seeds", "1", "--json"];
  const ran = await touchline([...sim, "--set", "spread=0.03%"], folder);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.events.at(-1)).toMatchObject({ event: "sim", worlds: 1, failed: 0 });
  expect(ran.events.at(-1)?.["fills"]).toBeGreaterThan(0);
  const wrong = await touchline([...sim, "--set", "spred=0.03%"], folder);
  const bad = path.join(folder, "strategies/bad.ts");
  const good = readFileSync(path.join(folder, "strategies/wide-spread.ts"), "utf8");
  writeFileSync(
    bad,
    good.replace("const { mid } =", "const drawn = Math.random();\n    const { mid } ="),
  );
  const failed = await touchline(["sim", "--strategy", bad, "--seeds", "1", "--from", "3"], folder);
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.out).toMatch(/^seed 3\n.*strategy: .*Math\.random\(\)/);
  expect(failed.out).toMatch(/ sim --strategy \S+bad\.ts --seeds 1 --from 3 --log$/m);
  expect(wrong).toMatchObject({ code: 2, events: [{ message: expect.stringContaining("spred") }] });
});

test("new strategy prints the markets of a strategy of several, as check takes them, and the demo refuses it", async () => {
  const folder = newFolder();
  const made = await touchline(["new", "strategy", "round", "--from", "triangle"], folder);
  const entry = made.out.slice(made.out.indexOf("  strategies:"));
  expect(entry).toContain('markets: { main: "1_2", cross: "3_2", other: "4_2" }');
  expect(made.out).not.toContain("demo --strategy");
  writeFileSync(path.join(folder, "bot.yaml"), entry.replace(/^ {2}/gm, ""));
  expect(await touchline(["check", "bot.yaml"], folder)).toMatchObject({ code: 0 });
  const demo = ["demo", "--strategy", "strategies/round.ts", "--json"];
  const message = expect.stringContaining("round trades in 3 markets (main, cross, other)");
  expect(await touchline(demo, folder)).toMatchObject({ code: 2, events: [{ message }] });
});

test("sim runs a strategy of two markets in both and one that names a price source, and refuses one of more before the first world", async () => {
  const folder = newFolder();
  const sim = ["sim", "--seeds", "1", "--json", "--strategy"];
  const ran = await touchline([...sim, "hedged-maker", "--set", "size=1"], folder);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.events.at(-1)?.["fills"]).toBeGreaterThan(0);
  // Whose world has trades at its prices.
  const named = ["--from", "3", "--set", "size=1", "--set", "source=elsewhere"];
  const sourced = await touchline(
    [...sim, "fair-value-quoter", ...named, "--set", "minEdge=0.01%"],
    folder,
  );
  expect(sourced).toMatchObject({ code: 0 });
  expect(sourced.events.at(-1)?.["fills"]).toBeGreaterThan(0);
  await touchline(["new", "strategy", "round", "--from", "triangle"], folder);
  const refused = await touchline([...sim, "strategies/round.ts"], folder);
  const message = expect.stringContaining("round trades in 3 markets");
  expect(refused).toMatchObject({ code: 2, events: [{ message }] });
});

test("a failing test is exit 1, with --json in one line", async () => {
  const folder = newFolder();
  const broken = path.join(folder, "broken.test.ts");
  writeFileSync(
    broken,
    'import { test } from "node:test";\nimport { Decimal } from "touchline";\ntest("x", () => { throw new Error(String(new Decimal(1))); });\n',
  );
  const { code, out } = await node([...runTests, "broken.test.ts", "--json"], folder);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({ event: "test", files: ["broken.test.ts"], passed: false });
  const empty = path.join(folder, "empty");
  mkdirSync(empty);
  expect(await touchline(["test"], empty)).toMatchObject({ code: 2 });
});

test("the tests of starting points under a new name and of docs/write-a-strategy.md pass", async () => {
  const folder = newFolder();
  for (const from of ["rebalance", "triangle"]) {
    const made = await touchline(["new", "strategy", `my-${from}`, "--from", from], folder);
    expect(made.code).toBe(0);
  }
  const doc = readFileSync(path.join(root, "docs/write-a-strategy.md"), "utf8");
  const examples = [...doc.matchAll(/<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/g)];
  expect(examples.map(([, name]) => name)).toEqual([
    "strategies/trailing.ts",
    "strategies/trailing.test.ts",
  ]);
  for (const [, name = "", code = ""] of examples) writeFileSync(path.join(folder, name), code);
  const files = ["my-rebalance", "my-triangle", "trailing"].map(
    (name) => `strategies/${name}.test.ts`,
  );
  // As `touchline test` does it, in one process for all files.
  const hooks = path.join(root, "src/config/register-plugin-hooks.ts");
  const run = ["--import", hooks, "--test", "--test-isolation=none", ...files];
  const ran = await node(run, folder);
  expect(ran).toMatchObject({ code: 0, out: expect.stringMatching(/pass 6$/m) });
});
