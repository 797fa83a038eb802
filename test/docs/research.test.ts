import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs every example of docs/research.md unchanged, where Python with these libraries is installed. */

const root = path.resolve(import.meta.dirname, "../..");
const document = readFileSync(path.join(root, "docs/research.md"), "utf8");
const examples = [...document.matchAll(/```python\n([^]*?)```/g)].map(([, code = ""]) => code);

/** `TOUCHLINE_PYTHON` names another interpreter, for instance that of a virtual environment. */
const python = process.env["TOUCHLINE_PYTHON"] ?? "python3";
const libraries = "import duckdb, pandas, polars, pyarrow";
const isInstalled = spawnSync(python, ["-c", libraries]).status === 0;

test("docs/research.md has examples for each library", () => {
  expect(examples.length).toBeGreaterThanOrEqual(5);
  for (const name of ["duckdb", "pandas", "polars"]) {
    expect(examples.some((code) => code.includes(`import ${name}`))).toBe(true);
  }
});

describe.skipIf(!isInstalled)("the examples of docs/research.md", () => {
  const folder = temporaryFolder();

  beforeAll(() => {
    const recording = path.join(folder, "recordings/zilusdt");
    cpSync(path.join(root, "config/recordings/zilusdt"), recording, { recursive: true });
    const bot = path.join(root, "test/data/replay-bot.yaml");
    for (const args of [
      ["replay", bot, "--data", recording, "--out", "results/zilusdt"],
      ["recording", "export", recording, "--to", "parquet", "--out", "tables"],
    ]) {
      const { status, stderr } = spawnSync(
        process.execPath,
        [path.join(root, "bin/touchline.js"), ...args],
        { cwd: folder, encoding: "utf8" },
      );
      expect([status, stderr]).toEqual([0, ""]);
    }
  });

  test.each(examples.map((code, at) => ({ code, at })))("$at runs", ({ code }) => {
    const { status, stdout, stderr } = spawnSync(python, ["-c", code], {
      cwd: folder,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.trim()).not.toBe("");
  });
});
