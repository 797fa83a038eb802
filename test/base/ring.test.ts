import { expect, test } from "vitest";
import { Ring } from "../../src/base/ring.ts";

test("keeps the newest items, returns the displaced one, and iterates newest first", () => {
  const ring = new Ring<number>(3);
  expect(ring.newest()).toBeUndefined();
  expect([1, 2, 3, 4, 5].map((item) => ring.push(item))).toEqual([
    undefined,
    undefined,
    undefined,
    1,
    2,
  ]);
  expect([...ring.newestFirst()]).toEqual([5, 4, 3]);
  expect([ring.newest(), ring.newest(2), ring.newest(3)]).toEqual([5, 3, undefined]);
  ring.replaceNewest(9);
  expect([...ring.newestFirst()]).toEqual([9, 4, 3]);
  expect(ring.size).toBe(3);
});

test("works before it is full", () => {
  const ring = new Ring<number>(5);
  ring.push(1);
  ring.push(2);
  ring.replaceNewest(3);
  expect([...ring.newestFirst()]).toEqual([3, 1]);
});
