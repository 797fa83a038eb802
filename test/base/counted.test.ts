import { expect, test } from "vitest";
import { counted } from "../../src/base/counted.ts";

test("one thing is counted in the singular, none and several in the plural", () => {
  expect([0, 1, 2].map((count) => counted(count, "book"))).toEqual([
    "0 books",
    "1 book",
    "2 books",
  ]);
  expect(counted(1, "batch", "batches")).toBe("1 batch");
  expect(counted(2, "batch", "batches")).toBe("2 batches");
});
