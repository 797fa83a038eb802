import { spawn } from "node:child_process";
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
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Touchline } from "../support/touchline-process.ts";
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

/** Commands that only read and write files run in this process, since the start of another costs more than they do. */
const short = new Set(["new", "init", "check", "sim"]);

async function touchline(args: readonly string[], cwd: string) {
  if (!short.has(args[0] ?? "")) return asProcess(args, cwd);
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await runLine(args, process.env);
  } finally {
    process.chdir(before);
  }
}

async function asProcess(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  const lines = args.includes("--json") ? out.split("\n").filter(Boolean) : [];
  return { code, out, err, events: lines.map((line) => JSON.parse(line)) };
}

test("new strategy writes two files that run in replay and test, and overwrites nothing", async () => {
  const folder = newFolder();
  const made = await asProcess(["new", "strategy", "wide-spread"], folder);
  expect(made.code).toBe(0);
  // What it says to do next is what works.
  expect(made.out).toContain("bin/touchline.js test strategies/wide-spread.test.ts");
  expect(made.out).toContain("bin/touchline.js demo --strategy strategies/wide-spread.ts");
  // npx would look for the name in a registry, since it is not installed here.
  expect(made.out).not.toContain("npx");
  const text = readFileSync(path.join(folder, "strategies/wide-spread.ts"), "utf8");
  expect(text).toContain('name: "wide-spread"');
  expect(text).not.toContain("my-strategy");

  const again = await touchline(["new", "strategy", "wide-spread", "--json"], folder);
  expect(again).toMatchObject({
    code: 1,
    events: [{ code: "FILE_EXISTS", message: expect.stringMatching(/ already exist\.$/) }],
  });
  expect(readFileSync(path.join(folder, "strategies/wide-spread.ts"), "utf8")).toBe(text);
  const elsewhere = await touchline(["new", "strategy", "b", "--out", "my/own", "--json"], folder);
  expect(elsewhere.events).toEqual([
    { event: "new.strategy", name: "b", strategy: "my/own/b.ts", test: "my/own/b.test.ts" },
  ]);
  expect(await touchline(["new", "strategy", "No_Name"], folder)).toMatchObject({ code: 2 });

  const strategy = ["--strategy", "strategies/wide-spread.ts"];
  const [tested, replayed] = await Promise.all([
    touchline(["test"], folder),
    touchline(
      [
        "replay",
        path.join(root, "config/demo.yaml"),
        ...strategy,
        "--data",
        path.join(root, "config/recordings/zilusdt"),
        "--market",
        "1_2=ZIL_USDT",
        "--json",
      ],
      folder,
    ),
  ]);
  expect(tested.err).toBe("");
  expect(tested).toMatchObject({ code: 0 });
  expect(tested.out).toMatch(/pass 3/);
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
    const demo = new Touchline(["demo", "--config", path.join(project, "bot.yaml"), "--port", "0"]);
    expect(await touchline(["test"], project)).toMatchObject({ code: 0 });
    const { dashboard, journal } = await demo.line("demo");
    folders.push(String(journal));
    const orders = async () => (await fetch(`${String(dashboard)}/api/v1/orders`)).text();
    await expect.poll(orders).toMatch(/BUY.*SELL|SELL.*BUY/);
    demo.kill("SIGINT");
    expect(await demo.exit).toBe(0);
    expect(demo.lines.at(-1)).toMatchObject({ event: "summary", ordersLeft: 0 });
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
  const text = readFileSync(path.join(folder, "strategies/wide-spread.ts"), "utf8");
  writeFileSync(
    bad,
    text.replace("const { mid } =", "const drawn = Math.random();\n    const { mid } ="),
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
  const ran = await touchline(["test", "broken.test.ts", "--json"], folder);
  expect(ran).toMatchObject({
    code: 1,
    events: [{ event: "test", files: ["broken.test.ts"], passed: false }],
  });
  const empty = path.join(folder, "empty");
  mkdirSync(empty);
  expect(await touchline(["test"], empty)).toMatchObject({ code: 2 });
});

test("the starting points with tests of their own pass them under a new name", async () => {
  const folder = newFolder();
  for (const from of ["rebalance", "triangle"]) {
    const made = await touchline(["new", "strategy", `my-${from}`, "--from", from], folder);
    expect(made.code).toBe(0);
  }
  const ran = await touchline(["test"], folder);
  expect(ran.out).toMatch(/pass 5/);
  expect(ran).toMatchObject({ code: 0 });
});

test("the examples of docs/write-a-strategy.md pass their tests", async () => {
  const folder = newFolder();
  const doc = readFileSync(path.join(root, "docs/write-a-strategy.md"), "utf8");
  const examples = [...doc.matchAll(/<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/g)];
  expect(examples.map(([, name]) => name)).toEqual([
    "strategies/trailing.ts",
    "strategies/trailing.test.ts",
  ]);
  const project = path.join(folder, "docs");
  mkdirSync(path.join(project, "strategies"), { recursive: true });
  for (const [, name = "", text = ""] of examples) writeFileSync(path.join(project, name), text);
  const ran = await touchline(["test"], project);
  expect(ran.out).toMatch(/pass 1$/m);
  expect(ran).toMatchObject({ code: 0 });
});
