import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { parse } from "yaml";
import { loadPlugin } from "../../src/config/load-plugin.ts";
import {
  type Conformance,
  type ConformanceOptions,
  type ConformanceResult,
  conforms,
} from "../../src/testing/index.ts";

/** Strategies whose every property takes seconds of processor time to judge: `npm test` judges three, the long tests all. */
export const slowStrategies: readonly string[] = [
  "avellaneda-stoikov",
  "bracket-entry",
  "fair-value-quoter",
  "grid",
  "hedged-maker",
];

interface Example {
  readonly sources?: Record<string, { maxAge?: string; whenOld?: "stop" | "widen" }>;
  readonly strategies: readonly { readonly params: object }[];
}

/** Parameters and sources of the strategy's example in config/. */
function exampleOf(name: string): ConformanceOptions {
  const file = new URL(`../../config/${name}.yaml`, import.meta.url);
  if (!existsSync(file)) return {};
  const { strategies, sources = {} }: Example = parse(readFileSync(file, "utf8"));
  const times = Object.entries(sources).map(([source, { maxAge, whenOld }]) => [
    source,
    { ...(maxAge && { maxAge }), ...(whenOld && { whenOld }) },
  ]);
  // The examples are written for the default paper venue.
  const market = { price: 100 };
  return { params: strategies[0]?.params, sources: Object.fromEntries(times), market };
}

function attackRow(name: string, results: readonly ConformanceResult[]): string {
  const attacks = ["dust", "a gap", "a walk"].map(
    (kind) => results.find(({ property }) => property === `withstands ${kind}`)?.attack,
  );
  const percent = (part?: number) =>
    part === undefined ? "no quote" : `${(part * 100 + 0).toFixed(2)} %`;
  const cells = [attacks[0]?.halfSpread, ...attacks.map((attack) => attack?.loss)].map(percent);
  return `| ${[name, ...cells].join(" | ")} |`;
}

/** Judges a built-in strategy with the parameters of its example in config/. */
export async function judgeExample(name: string, only?: readonly string[]): Promise<Conformance> {
  const loaded = await loadPlugin({ plugin: name, configFile: "bot.yaml" });
  if (!loaded.ok) throw new Error(loaded.error);
  return conforms(loaded.value, { ...exampleOf(name), ...(only && { only }) });
}

const document = new URL("../../docs/write-a-strategy.md", import.meta.url);

/** The rows of the document's table of losses, one a strategy. */
export function rowsOfAttacks(): readonly string[] {
  const block = /<!-- attacks: [^\n]* -->\n([^]*?)<!-- end of attacks -->/;
  const [, table = ""] = block.exec(readFileSync(document, "utf8")) ?? [];
  return table.trimEnd().split("\n").slice(2);
}

/** The strategy has every property, and its losses are in the document (UPDATE_DOCS=1 writes them). */
export async function expectEveryProperty(name: string): Promise<void> {
  const { failed, results } = await judgeExample(name);
  expect(failed).toEqual([]);
  const row = attackRow(name, results);
  const known = rowsOfAttacks().find((each) => each.startsWith(`| ${name} |`));
  if (process.env["UPDATE_DOCS"] === "1" && known !== undefined) {
    writeFileSync(document, readFileSync(document, "utf8").replace(known, row));
  } else expect(known).toBe(row);
}
