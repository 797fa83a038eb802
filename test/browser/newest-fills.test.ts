import { expect, test } from "vitest";
import type { FillRow } from "../../src/dashboard/api-rows.ts";
import { newestFills } from "../../web/src/newest-fills.ts";

test("a page keeps the newest thousand fills, however often each was read", () => {
  const fills = Array.from({ length: 1_100 }, (_, at): FillRow => Object({ fill: at + 1 }));
  const kept = newestFills([...fills, ...fills]);
  expect([...kept.keys()]).toEqual(
    fills
      .map(({ fill }) => fill)
      .toReversed()
      .slice(0, 1_000),
  );
});
