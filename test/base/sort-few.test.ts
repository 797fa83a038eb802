import { expect, it } from "vitest";
import { sortFew } from "../../src/base/sort-few.ts";

it.for([
  { items: [] },
  { items: [1] },
  { items: [1, 1, 2] },
  { items: [3, 1, 2] },
  { items: [1, 2, 0] },
])("sorts $items in place", ({ items }) => {
  const sorted = items.toSorted((left, right) => left - right);
  sortFew(items, (left, right) => left - right);
  expect(items).toEqual(sorted);
});

it("keeps the order of equals", () => {
  const items = [
    { key: 1, name: "a" },
    { key: 0, name: "b" },
    { key: 1, name: "c" },
  ];
  sortFew(items, (left, right) => left.key - right.key);
  expect(items.map(({ name }) => name)).toEqual(["b", "a", "c"]);
});
