import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../bin/touchline.js", import.meta.url));
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-cli-"));
  writeFileSync(
    path.join(folder, "bad.yaml"),
    "venue:\n  rest: ftp://x\n  ws: ws://127.0.0.1/ws\nstrategies:\n  - name: a\n    plugin: ./mine.ts\n    market: 1_2\n    params: { spred: 0.1% }\n",
  );
  writeFileSync(
    path.join(folder, "good.yaml"),
    `venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws", chainId: 1001 }
strategies:
  - { name: a, plugin: ./mine.ts, market: 1_2, params: { spread: 0.1% } }
  - { name: b, plugin: pure-market-making, market: 1_2, params: { bidSpread: 0.1%, askSpread: 0.1%, size: "1" } }
`,
  );
  writeFileSync(
    path.join(folder, "mine.ts"),
    `import { defineStrategy, noQuotes, share, z, type MarketView } from "touchline";
export default defineStrategy({
  name: "mine",
  params: z.strictObject({ spread: share() }),
  init: () => ({ seen: 0 as number, last: undefined as MarketView | undefined }),
  decide: () => noQuotes("never"),
});
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function touchline(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function events(stdout: string): unknown[] {
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test("a strategy beside its YAML can import touchline without installing it, and what it prints goes to stderr with --json", () => {
  const mine = readFileSync(path.join(folder, "mine.ts"), "utf8");
  const prints =
    'console.log("by console"); console.table([1]); process.stdout.write("by hand\\n");\n';
  writeFileSync(path.join(folder, "prints.ts"), mine + prints);
  const { status, stdout, stderr } = touchline(
    "check",
    "good.yaml",
    "--set",
    "strategies.a.plugin=./prints.ts",
    "--json",
  );
  expect(status).toBe(0);
  expect(events(stdout)).toMatchObject([
    { event: "check", strategies: [{ name: "a", plugin: "prints.ts" }, { name: "b" }] },
  ]);
  expect(stderr).toContain("by console");
  expect(stderr).toContain("by hand");
});

test("an invalid configuration prints every problem with its place, exit 2, no stack trace", () => {
  const { status, stdout, stderr } = touchline("check", "bad.yaml");
  expect(status).toBe(2);
  expect(stdout).toBe("");
  expect(stderr.split("\n").slice(0, 4)).toEqual([
    "bad.yaml:1:1: venue.chainId: is missing, must be a number",
    "bad.yaml:2:9: venue.rest: is not an address of the form http://… or https://…",
    "bad.yaml:8:5: strategies[0].params.spread: is missing, must be text or a number",
    "bad.yaml:8:15: strategies[0].params.spred: is not a known key, did you mean spread?",
  ]);
  expect(stderr).not.toContain("    at ");
});

test("with --json an invalid configuration is one error line on stdout", () => {
  const { status, stdout, stderr } = touchline("--json", "check", "bad.yaml");
  expect(status).toBe(2);
  expect(events(stdout)).toMatchObject([
    { event: "error", code: "CONFIG_INVALID", problems: { length: 4 } },
  ]);
  expect(stderr).toContain("bad.yaml:2:9: venue.rest:");
});
