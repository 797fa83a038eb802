import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtInStrategies, loadPlugin } from "../../src/config/load-plugin.ts";
import { type ParamRow, paramTable } from "../support/param-table.ts";

const begin = /(<!-- parameters: [^\n]* -->\n)[^]*?(<!-- end -->)/;

function lineOf({ name, range, default: fallback, sentence }: ParamRow): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return `| \`${name}\` | ${cell(range)} | ${cell(fallback)} | ${cell(sentence)} |`;
}

function tableOf(lines: readonly string[]): string {
  const head = ["| parameter | range | default | |", "|---|---|---|---|"];
  return [...head, ...lines, ""].join("\n");
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

const rowsByStrategy = new Map(
  await Promise.all(builtInStrategies().map(async (name) => [name, await rowsOf(name)] as const)),
);
const optional = [...rowsByStrategy.values()].flat().filter((row) => row.default !== "needed");
const counts = Map.groupBy(optional.map(lineOf), (line) => line);
/** Lines that several strategies have in common. What has to be written stays on each page. */
const shared = [...counts].flatMap(([line, { length }]) => (length > 1 ? [line] : []));

function parametersOf(name: string): string {
  const rows = rowsByStrategy.get(name) ?? [];
  const isShared = (row: ParamRow) => shared.includes(lineOf(row));
  const own = tableOf(rows.filter((row) => !isShared(row)).map(lineOf));
  const names = rows.filter(isShared).map((row) => `\`${row.name.replace(/\..*/, ".*")}\``);
  if (names.length === 0) return own;
  return `${own}\nAs in [other strategies](parameters.md): ${[...new Set(names)].join(", ")}.\n`;
}

test.each(["parameters", ...builtInStrategies()])(
  "docs/strategies/%s.md lists the parameters of the code (UPDATE_DOCS=1 writes them)",
  (name) => {
    const file = new URL(`../../docs/strategies/${name}.md`, import.meta.url);
    expect(existsSync(file), "the document exists").toBe(true);
    const text = readFileSync(file, "utf8");
    const table = name === "parameters" ? tableOf(shared) : parametersOf(name);
    expect(text).toMatch(begin);
    const wanted = text.replace(begin, (_, head: string, tail: string) => head + table + tail);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
    expect(readFileSync(file, "utf8")).toBe(wanted);
  },
);

test.each(builtInStrategies())("every parameter of %s has a sentence and a range", (name) => {
  for (const { name: key, range, sentence } of rowsByStrategy.get(name) ?? []) {
    expect(sentence, key).toMatch(/^[A-Z].+\.$/);
    expect(range, key).not.toBe("");
  }
});
