import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { triggerNames, triggers } from "../../src/risk/triggers.ts";

/** The table of docs/risk.md is made from the registry of triggers. */

const place =
  /(<!-- triggers: made from the code, UPDATE_DOCS=1 -->\n)[^]*?(<!-- end of triggers -->)/;

test("docs/risk.md lists every trigger of the risk ladder (UPDATE_DOCS=1 writes them)", () => {
  const file = new URL("../../docs/risk.md", import.meta.url);
  const text = readFileSync(file, "utf8");
  const rows = triggerNames.map((name) => {
    const { unit, scopes, extra, summary } = triggers[name];
    const more = Object.entries(extra).map(([key, value]) => `\`${key}: ${value}\``);
    return `| \`${name}\` | ${unit} | ${scopes.join(", ")} | ${more.join(", ")} | ${summary} |`;
  });
  const head =
    "| trigger | unit | of | also set, with its default | measures |\n|---|---|---|---|---|\n";
  const made = text.replace(place, `$1${head}${rows.join("\n")}\n$2`);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, made);
  expect(readFileSync(file, "utf8")).toBe(made);
});
