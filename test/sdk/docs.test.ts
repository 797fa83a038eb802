import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { format, promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { installPluginHooks } from "../../src/config/plugin-hooks.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { typeCheck } from "../support/type-check.ts";
import { PATIENCE } from "../support/patience.ts";

/**
 * Runs every example of docs/sdk.md unchanged against the paper venue with order flow: as modules of this process, which costs a tenth of a
 * program of its own, and some as programs.
 */

const root = path.join(import.meta.dirname, "..", "..");
const run = promisify(execFile);
const document = readFileSync(path.join(root, "docs/sdk.md"), "utf8");
const examples = [...document.matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""], at) => {
  const before = document.slice(0, document.indexOf(code));
  const heading = [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? "";
  return { name: `${at + 1} ${heading}`, code };
});

let venue: RunningVenue;
beforeAll(async () => {
  // The examples are written to a folder without the package.
  installPluginHooks();
  venue = await startPaperVenue();
  // The examples place orders far below the market, so a market price must exist.
  await vi.waitUntil(async () => {
    const response = await fetch(`${venue.rest}/api/v1/market/depth?marketId=1_2`);
    const { result } = (await response.json()) as { result: { bids: unknown[] } };
    return result.bids.length >= 5;
  }, PATIENCE);
});
afterAll(() => venue.close());

test("docs/sdk.md has examples for every group of methods", () => {
  expect(examples.length).toBeGreaterThanOrEqual(10);
});

// The compiler takes seconds to start, so that of docs/replay.md is here, too.
test("every example type-checks, and that of docs/replay.md", () => {
  const sources = {
    "touchline/venue": "sdk/index.ts",
    "touchline/venue/parts": "sdk/parts.ts",
    "touchline/venue/paper": "sdk/paper.ts",
    "touchline/venue/endpoints/*": "spec/endpoints/*.ts",
    "touchline/replay": "testing/replay.ts",
  };
  const texts = examples.map(({ code }, at) => [`example-${at + 1}.ts`, code] as const);
  const replay = readFileSync(path.join(root, "docs/replay.md"), "utf8");
  const [, replayCode = ""] = /```ts\n([^]*?)```/.exec(replay) ?? [];
  expect(replayCode).toContain("touchline/replay");
  // The compiler reports an error in a wrong one, so it does read them.
  const wrong = 'export { depth } from "touchline/venue";\n';
  const output = typeCheck(
    { ...Object.fromEntries(texts), "example-0.ts": wrong, "example-replay.ts": replayCode },
    sources,
  );
  const problems = output.split("\n").filter((line) => line.includes("example-"));
  expect(problems).toEqual([expect.stringContaining("example-0.ts(1,10)")]);
});

/** The comment after a console.log is the line that it prints. */
function expectPrinted(code: string, text: string): void {
  expect(text).not.toBe("");
  for (const [, printed = ""] of code.matchAll(/console\.log\(.*\); \/\/ ([\w ]+)/g)) {
    expect(text).toContain(printed);
  }
}

const keyOf = (name: string) =>
  `0x${String(Number.parseInt(name, 10)).padStart(2, "0").repeat(32)}`;
const atVenue = (code: string) => code.replaceAll("http://127.0.0.1:8717", venue.rest);

const folder = temporaryFolder();
/** The last one, and those that import what only the package's name leads to. */
const programs = examples.filter(
  ({ code }, at) => at === examples.length - 1 || code.includes("touchline/venue/"),
);

test.each(examples.filter((example) => !programs.includes(example)))(
  "$name",
  async ({ name, code }) => {
    vi.stubEnv("TOUCHLINE_KEY", keyOf(name));
    const printed: string[] = [];
    vi.spyOn(console, "log").mockImplementation(
      (...values) => void printed.push(format(...values)),
    );
    const file = path.join(folder, `example-${Number.parseInt(name, 10)}.ts`);
    writeFileSync(file, atVenue(code));
    await import(/* @vite-ignore */ file);
    expectPrinted(code, printed.join("\n"));
  },
);

test.each(programs)("$name, as a program that ends by itself", async ({ name, code }) => {
  const { stdout } = await run(
    process.execPath,
    ["--conditions=touchline-source", "--input-type=module-typescript", "--eval", atVenue(code)],
    { cwd: root, env: { ...process.env, TOUCHLINE_KEY: keyOf(name) }, timeout: 50_000 },
  );
  expectPrinted(code, stdout);
});
