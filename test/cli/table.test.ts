import { expect, test } from "vitest";
import { pairs, table } from "../../src/cli/table.ts";

test("columns are as wide as their widest cell, not counting colour codes", () => {
  const rows = [
    ["a", "1.5"],
    ["\u001b[31mred\u001b[0m", "10"],
    ["é", ""],
  ];
  const text = table([{ title: "name" }, { title: "qty", align: "right" }], rows);
  expect(text.split("\n")).toEqual(["name  qty", "a     1.5", "\u001b[31mred\u001b[0m    10", "é"]);
});

test("a table of pairs has no header", () => {
  expect(
    pairs([
      ["a", "1"],
      ["long", "2"],
    ]),
  ).toBe("a     1\nlong  2");
});
