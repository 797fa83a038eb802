import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Mode, modes } from "../../src/config/bot-key.ts";
import { allBotKeys } from "../../src/config/bot-config.ts";
import { settingText } from "../support/param-table.ts";

/** The table of docs/configuration.md is made from the schema. */

const place = /(<!-- keys: made from the code, UPDATE_DOCS=1 -->\n)[^]*?(<!-- end of keys -->)/;

function modesText(acts: readonly Mode[]): string {
  if (acts.length === modes.length) return "all";
  return acts.map((mode) => (mode === "dry-run" ? "dry" : mode)).join(", ");
}

test("docs/configuration.md lists every key of the schema (UPDATE_DOCS=1 writes them)", () => {
  const file = new URL("../../docs/configuration.md", import.meta.url);
  const text = readFileSync(file, "utf8");
  const cell = (written: string) => written.replaceAll("|", "\\|");
  const first = new Map<string, string>();
  const rows = allBotKeys.map((key) => {
    const earlier = first.get(key.about);
    if (earlier === undefined) first.set(key.about, `As \`${key.path}\`.`);
    const about = earlier !== undefined && earlier.length < key.about.length ? earlier : key.about;
    const { range, default: fallback } = settingText(key.schema);
    const usual = key.isNeeded ? "needed" : fallback === "needed" ? "" : fallback;
    const acts = modesText(key.modes);
    return `|${[`\`${key.path}\``, about, range, usual, acts].map(cell).join("|")}|`;
  });
  const head = ["key", "meaning", "range", "default", "modes"];
  const table = [`|${head.join("|")}|`, `|${"---|".repeat(head.length)}`, ...rows, ""].join("\n");
  expect(text).toMatch(place);
  const wanted = text.replace(place, (_, begin: string, end: string) => begin + table + end);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
  expect(readFileSync(file, "utf8")).toBe(wanted);
});
