import { expect, test } from "vitest";
import { ScratchList } from "../../src/base/scratch-list.ts";

test("a scratch list contains the items added since it was cleared", () => {
  const list = new ScratchList<string>();
  list.add("a");
  list.add("b");
  expect([list.size, list.at(0), list.at(1)]).toEqual([2, "a", "b"]);
  expect([list.includes("b"), list.includes("c")]).toEqual([true, false]);
  list.clear();
  expect([list.size, list.includes("a")]).toEqual([0, false]);
  expect(() => list.at(0)).toThrow("inside");
  list.add("c");
  expect([list.size, list.at(0)]).toEqual([1, "c"]);
  expect(() => list.at(1)).toThrow("inside");
});
