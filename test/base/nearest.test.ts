import { expect, test } from "vitest";
import { nearest } from "../../src/base/nearest.ts";

const known = ["bidSpread", "askSpread", "levels", "size"];

test.each([
  ["bidspread", "bidSpread"],
  ["bidSpraed", "bidSpread"],
  ["askSpred", "askSpread"],
  ["level", "levels"],
  ["sise", "size"],
  ["refresh", undefined],
  ["x", undefined],
])("%s → %s", (written, expected) => {
  expect(nearest(written, known)).toBe(expected);
});
