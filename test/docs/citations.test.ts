import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readTextFiles } from "../architecture/check-words.ts";
import { checkCitations, checkLinks, checkRecords, placesOf } from "./citations.ts";

const root = new URL("../../", import.meta.url);
const files = readTextFiles().filter(({ path }) => !path.startsWith("test/docs/citations"));
const records = readdirSync(new URL("docs/decisions", root)).sort();
const places = placesOf(readFileSync(new URL("docs/venue.md", root), "utf8"));

describe("the project", () => {
  test("cites sections (§) and decisions (D) that docs/venue.md has", () => {
    expect(checkCitations(files, places)).toEqual([]);
  });

  test("links pages and files that are there", () => {
    const pages = files.filter(({ path }) => path.endsWith(".md"));
    expect(checkLinks(pages, (path) => existsSync(new URL(path, root)))).toEqual([]);
  });

  test("names records of decisions (docs/decisions) that are there", () => {
    expect(checkRecords(files, records)).toEqual([]);
  });

  test("has at most 50 records, numbered from 001 on", () => {
    const numbers = records.map((_, at) => String(at + 1).padStart(3, "0"));
    expect(records.map((name) => name.slice(0, 3))).toEqual(numbers);
    expect(records.length).toBeLessThanOrEqual(50);
  });

  test("has every decision, in order", () => {
    const decisions = [...places].filter((place) => place.startsWith("D"));
    expect(decisions).toEqual(decisions.map((_, at) => `D${at + 1}`));
    expect(decisions.length).toBeGreaterThanOrEqual(36);
  });
});

describe("checkCitations", () => {
  const known = placesOf(
    "### §4.5 Prices\n- **§1.2** Envelope\n1. **§6.3.1** Subscribe\n### D12 Admission\n",
  );
  const check = (text: string) => checkCitations([{ path: "src/a.ts", text }], known);

  test("accepts a section, an item and a decision that are there", () => {
    expect(check("as §4.5, §1.2, §6.3.1 and D12 say (C-D12-03)")).toEqual([]);
  });

  test.each(["§4.6", "§4", "§6.3", "D13", "D1"])("refuses %s", (place) => {
    expect(check(`// first line\n// see ${place}`)).toEqual([
      `src/a.ts:2: docs/venue.md has no ${place}`,
    ]);
  });

  test("leaves out an RFC's sections and names that only look like decisions", () => {
    expect(check("RFC 6455 §7.1.5; 0xD1, 3D, D123, ID1")).toEqual([]);
  });
});

test("checkLinks finds a link to a file that is not there", () => {
  const text = "[a](b.md) [c](../src/c.ts#L3) [d](https://example.org/x.md) [e](#top)";
  const found = checkLinks([{ path: "docs/page.md", text }], (path) => path === "docs/b.md");
  expect(found).toEqual(["docs/page.md:1: there is no src/c.ts"]);
});

test("checkRecords finds a record that is not there, by its number or its name", () => {
  const text = "docs/decisions/001, 007 and decision 009; docs/decisions/001-one.md, 002-two.md";
  expect(checkRecords([{ path: "src/a.ts", text }], ["001-one.md", "007-x.md"])).toEqual([
    "src/a.ts:1: docs/decisions has no 009",
  ]);
  const other = "see docs/decisions/001-two.md";
  expect(checkRecords([{ path: "src/b.ts", text: other }], ["001-one.md"])).toEqual([
    "src/b.ts:1: docs/decisions has no 001-two.md",
  ]);
});
