import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtInStrategies, loadPlugin } from "../../src/config/load-plugin.ts";
import { type ParamRow, paramTable } from "../support/param-table.ts";

const begin = /(<!-- parameters: [^\n]* -->\n)[^]*?(<!-- end -->)/;

function markdown(rows: readonly ParamRow[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [
    "| parameter | range | default | |",
    "|---|---|---|---|",
    ...rows.map(
      ({ name, range, default: fallback, sentence }) =>
        `| \`${name}\` | ${cell(range)} | ${cell(fallback)} | ${cell(sentence)} |`,
    ),
    "",
  ].join("\n");
}

async function rowsOf(name: string): Promise<readonly ParamRow[]> {
  const loaded = await loadPlugin({
    plugin: name,
    configFile: "bot.yaml",
    importModule: (specifier) => import(specifier),
  });
  if (!loaded.ok) throw new Error(loaded.error);
  return paramTable(loaded.value.params);
}

test.each(builtInStrategies())(
  "docs/strategies/%s.md lists the parameters of the code (UPDATE_DOCS=1 writes them)",
  async (name) => {
    const file = new URL(`../../docs/strategies/${name}.md`, import.meta.url);
    expect(existsSync(file), "the document exists").toBe(true);
    const text = readFileSync(file, "utf8");
    const table = markdown(await rowsOf(name));
    expect(text).toMatch(begin);
    const wanted = text.replace(begin, (_, head: string, tail: string) => head + table + tail);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
    expect(readFileSync(file, "utf8")).toBe(wanted);
  },
);

test.each(builtInStrategies())("every parameter of %s has a sentence and a range", async (name) => {
  for (const { name: key, range, sentence } of await rowsOf(name)) {
    expect(sentence, key).toMatch(/^[A-Z].+\.$/);
    expect(range, key).not.toBe("");
  }
});
