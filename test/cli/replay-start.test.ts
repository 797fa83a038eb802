import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** Notes each module that is loaded, one address a line. */
const noting = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED_MODULES, url + "\\n");
    return next(url, context);
  },
});`;

test("a replay loads no library that signs, speaks to a network or serves pages, and no paper venue", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-start-"));
  const modules = path.join(folder, "modules");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--disable-sigusr1",
      "--conditions=touchline-source",
      `--import=data:text/javascript,${encodeURIComponent(noting)}`,
      path.join(root, "bin/touchline.js"),
      "replay",
      "config/demo.yaml",
      "--data",
      "config/recordings/zilusdt",
      "--market",
      "1_2=ZIL_USDT",
      "--to",
      "2021-04-05T18:33:25Z",
      "--json",
    ],
    { cwd: root, encoding: "utf8", env: { ...process.env, LOADED_MODULES: modules } },
  );
  const loaded = readFileSync(modules, "utf8");
  rmSync(folder, { recursive: true, force: true });
  expect([status, stderr]).toEqual([0, expect.stringContaining("placed no quotes")]);
  expect(stdout).toContain('"event":"result"');
  const libraries = [...loaded.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)];
  expect(new Set(libraries.map(([, name]) => name))).toEqual(
    new Set([
      "commander",
      "decimal.js",
      "eventemitter3",
      "hash-wasm",
      "minipass",
      "minizlib",
      "yaml",
      "zod",
    ]),
  );
  expect(loaded).toContain("/src/backtest/replay.ts");
  expect(loaded.split("\n").filter((url) => /\/src\/(venue|dashboard|sdk)\//.test(url))).toEqual(
    [],
  );
});
