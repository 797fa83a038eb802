import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { missingFiles } from "./named-files.ts";

const root = new URL("../../", import.meta.url);

test("CONTRIBUTING.md names files and folders that are there", () => {
  const text = readFileSync(new URL("CONTRIBUTING.md", root), "utf8");
  expect(missingFiles(text, (path) => existsSync(new URL(path, root)))).toEqual([]);
});

test("docs/security.md names a test for each promise, and the test is there", () => {
  const text = readFileSync(new URL("docs/security.md", root), "utf8");
  expect(missingFiles(text, (path) => existsSync(new URL(path, root)))).toEqual([]);
  const [, promises = ""] = text.split("## Promises");
  const rows = (promises.split("##")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows.slice(1)) expect(row).toMatch(/`test\/[\w/.-]+\.test\.ts` \|$/);
});

test("README.md links only to what the package contains", () => {
  const text = readFileSync(new URL("README.md", root), "utf8");
  const { files } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    readonly files: readonly string[];
  };
  const targets = Array.from(text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g), ([, to = ""]) => to);
  expect(targets.length).toBeGreaterThan(20);
  for (const target of targets) {
    expect(existsSync(new URL(target, root)), target).toBe(true);
    expect(
      files.some((file) => target === file || target.startsWith(`${file}/`)),
      target,
    ).toBe(true);
  }
});

test("a file that is not there is found, placeholders and commands are left out", () => {
  const text =
    "`src/risk/rules/NAME.ts`, `src/risk/rules.ts`, `src/lost.ts`, `npm test -- x`, `dist/`";
  const files = new Set(["src/risk/rules", "src/risk/rules.ts"]);
  expect(missingFiles(text, (path) => files.has(path))).toEqual(["src/lost.ts"]);
});
