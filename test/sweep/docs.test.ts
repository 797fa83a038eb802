import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { jsonSchemaText } from "../support/json-schema.ts";
import { sweepFigures } from "../../src/config/sweep-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { touchline } from "../support/touchline-process.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = path.join(root, "docs/sweep.md");
const place = /(<!-- keys: made from the code, UPDATE_DOCS=1 -->\n)[^]*?(<!-- end of keys -->)/;
const folder = temporaryFolder();

const block = z.looseObject({
  description: z.string().optional(),
  default: z.union([z.string(), z.number(), z.object({})]).optional(),
  enum: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});

/** A row for each key of a block, opened up. */
function rowsOf(schema: unknown, before = ""): readonly string[] {
  const { properties = {}, required = [] } = block.parse(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = block.parse(property);
    const written = inner.default ?? (required.includes(name) ? "needed" : "");
    const usual = typeof written === "object" ? "none" : String(written);
    const values = inner.enum === undefined ? "" : ` One of ${inner.enum.join(", ")}.`;
    const row = `| \`${before}${name}\` | ${inner.description}${values} | ${usual} |`;
    return [row, ...rowsOf(property, `${name}.`)];
  });
}

test("docs/sweep.md lists every key of the schema (UPDATE_DOCS=1 writes them)", async () => {
  const rows = rowsOf(JSON.parse(await jsonSchemaText("sweep.json")));
  const table = ["| key | meaning | default |", "|---|---|---|", ...rows, ""].join("\n");
  const text = readFileSync(page, "utf8");
  expect(text).toMatch(place);
  const wanted = text.replace(place, (_, begin: string, end: string) => begin + table + end);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(page, wanted);
  expect(readFileSync(page, "utf8")).toBe(wanted);
});

test("docs/sweep.md explains every objective", () => {
  const text = readFileSync(page, "utf8");
  for (const objective of sweepFigures) expect(text).toContain(`| \`${objective}\` |`);
});

test("the example of docs/sweep.md is config/sweep.yaml, and it runs", async () => {
  const example = readFileSync(path.join(root, "config/sweep.yaml"), "utf8");
  expect(readFileSync(page, "utf8")).toContain(`\`\`\`yaml\n${example}\`\`\``);
  const report = path.join(folder, "sweep.html");
  const places = ["--out", path.join(folder, "out"), "--report", report];
  const { code, lines, stderr } = await touchline([
    "sweep",
    path.join(root, "config/sweep.yaml"),
    ...places,
  ]);
  expect([code, stderr.includes("Internal error")]).toEqual([0, false]);
  expect(lines.filter(({ event }) => event === "sweep.run")).toHaveLength(6);
  expect(readFileSync(report, "utf8")).toContain("<h1>Sweep: 6 runs by pnl</h1>");
});
