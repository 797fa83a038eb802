import { expect, test } from "vitest";
import { readSourceFiles } from "./source-file.ts";

/** A hint that is written out: after a colon, an equals sign or the arms of a condition. */
const HINT = /\bhint\b\s*[:=](?:[^;{}]*?[?:])??\s*(["`])([^"`]+)/g;

test("a hint is a sentence: it begins with a capital letter, or with a command", () => {
  const lower: string[] = [];
  let count = 0;
  for (const file of readSourceFiles("src")) {
    for (const [, , text = ""] of file.text.matchAll(HINT)) {
      count += 1;
      if (/^[a-z]/.test(text)) lower.push(`${file.path}: ${text}`);
    }
  }
  expect(count).toBeGreaterThan(100);
  expect(lower).toEqual([]);
});
