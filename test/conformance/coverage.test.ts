import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { casesByFile } from "./all-cases.ts";
import { lineTable } from "./line-table.ts";
import { head, lines, linesFile, sectionOf } from "./venue-lines.ts";

/** Every line of the interface needs a case, and the table must be up to date. */

const root = new URL("../../", import.meta.url);
const interfaceFile = new URL("../shared/spec/venue-interface.txt", root);
const updates = process.env["UPDATE_DOCS"] === "1";
const cases = Object.values(casesByFile).flat();
const caseOf = new Map(cases.map((one) => [one.id, one]));

describe("venue-lines.ndjson", () => {
  test("ids are unique, in the list and among the cases", () => {
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    expect(caseOf.size).toBe(cases.length);
  });

  test("each line has a case, or says what else shows it", () => {
    const uncovered = lines.filter(
      ({ id, see, tests }) => !caseOf.has(id) && see === undefined && tests === undefined,
    );
    expect(uncovered.map(({ id, says }) => `${id} ${says}`)).toEqual([]);
  });

  test("each case is a line of it", () => {
    const known = new Set(lines.map(({ id }) => id));
    expect(cases.filter(({ id }) => !known.has(id)).map(({ id }) => id)).toEqual([]);
  });

  test("what it refers to is there", () => {
    for (const { id, see = [], tests = [], code } of lines) {
      const lost = [
        ...see.filter((other) => !caseOf.has(other)),
        ...[code, ...tests].filter((file) => !existsSync(new URL(file, root))),
      ];
      expect([id, lost]).toEqual([id, []]);
    }
  });

  test("it has every section and every decision", () => {
    const sections = new Set(lines.map(({ id }) => sectionOf(id)));
    for (let decision = 1; decision <= 36; decision += 1) {
      expect(sections).toContain(`D${decision}`);
    }
    for (const section of ["1", "2.1", "2.12", "3", "4.1", "4.5", "5", "6.5", "7", "8", "9"]) {
      expect(sections).toContain(section);
    }
  });

  test("it says what the cases say (UPDATE_DOCS=1 writes it)", () => {
    const wanted = lines.map((line) => ({ ...line, says: caseOf.get(line.id)?.line ?? line.says }));
    const text = [head, ...wanted].map((line) => `${JSON.stringify(line)}\n`).join("");
    if (updates) writeFileSync(linesFile, text);
    expect(readFileSync(linesFile, "utf8")).toBe(text);
  });
});

describe.skipIf(!existsSync(interfaceFile))("the interface document beside the checkout", () => {
  const text = existsSync(interfaceFile) ? readFileSync(interfaceFile, "utf8") : "";

  test("is the one whose lines are counted", () => {
    expect(createHash("sha256").update(text).digest("hex")).toBe(head.interfaceSha256);
  });

  test("has no line that nobody speaks of", () => {
    const covered = new Set(lines.flatMap(({ at = [] }) => at));
    const all = text.split("\n");
    const uncovered = all.flatMap((line, index) =>
      saysSomething(line, all[index + 1] ?? "") && !covered.has(index + 1)
        ? [`${index + 1}: ${line.slice(0, 60)}`]
        : [],
    );
    expect(uncovered).toEqual([]);
    expect(all.filter((line, index) => saysSomething(line, all[index + 1] ?? "")).length).toBe(
      new Set(lines.flatMap(({ at = [] }) => at)).size,
    );
  });
});

/** Headings, a table's head and what only announces the next lines say nothing. */
function saysSomething(line: string, next: string): boolean {
  if (line === "" || line.startsWith("#") || line.startsWith("|---")) return false;
  if (next.startsWith("|---")) return false;
  const announces = (line.endsWith(":") && line.length < 60) || /^\*\*[^*]+\*\*$/.test(line);
  return !announces;
}

test("docs/venue-coverage.md has the table of today (UPDATE_DOCS=1 writes it)", () => {
  const file = new URL("docs/venue-coverage.md", root);
  const text = readFileSync(file, "utf8");
  const mark = text.indexOf("<!-- generated");
  const end = text.indexOf("-->", mark) + 3;
  expect(mark).toBeGreaterThan(0);
  const counts = `${lines.length} lines, ${cases.length} cases.`;
  const wanted = `${text.slice(0, end)}\n${counts}\n\n${lineTable()}`;
  if (updates) writeFileSync(file, wanted);
  expect(readFileSync(file, "utf8")).toBe(wanted);
});
