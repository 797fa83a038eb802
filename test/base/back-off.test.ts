import { expect, test } from "vitest";
import { backOffMs } from "../../src/base/back-off.ts";

test("a wait doubles with each failure in a row, up to its limit", () => {
  const waits = [1, 2, 3, 4, 5, 2_000].map((failures) => backOffMs(failures, 250, 1_500));
  expect(waits).toEqual([250, 500, 1_000, 1_500, 1_500, 1_500]);
  expect(backOffMs(2_000, 0, 1_500)).toBe(0);
});
