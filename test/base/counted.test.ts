import { expect, test } from "vitest";
import { counted, firstFew } from "../../src/base/counted.ts";

test("one thing is counted in the singular, none and several in the plural", () => {
  expect([0, 1, 2].map((count) => counted(count, "book"))).toEqual([
    "0 books",
    "1 book",
    "2 books",
  ]);
  expect(counted(1, "batch", "batches")).toBe("1 batch");
  expect(counted(2, "batch", "batches")).toBe("2 batches");
});

test("a list of more than five names says how many it leaves out", () => {
  expect(firstFew(["a", "b"])).toBe("a, b");
  expect(firstFew([..."abcde"])).toBe("a, b, c, d, e");
  expect(firstFew([..."abcdef"])).toBe("a, b, c, d, e and 1 more");
});
