import { expect, test } from "vitest";
import type { FillRow } from "../../src/dashboard/api-rows.ts";
import { knownSinceMs, newestFills, readFillsSince } from "../../web/src/newest-fills.ts";

/** A bot's fills of which one comes each second, newest first. */
const fillsOf = (count: number): FillRow[] =>
  Array.from({ length: count }, (_, at): FillRow => {
    const fill = count - at;
    return Object({ fill, timeMs: fill * 1_000 });
  });

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

test("a page reads the fills of the time that its charts show, and no more pages", async () => {
  const fills = fillsOf(1_000);
  const readSince = async (sinceMs: number): Promise<readonly number[]> => {
    const read: number[] = [];
    await readFillsSince(sinceMs, async (before) => {
      const all = fills.filter(({ fill }) => fill < (before ?? Number.POSITIVE_INFINITY));
      const found = all.slice(0, 200);
      read.push(...found.map(({ fill }) => fill));
      return { fills: found, next: all.length > 200 ? (found.at(-1)?.fill ?? null) : null };
    });
    return read;
  };
  expect((await readSince(350_000)).at(-1)).toBe(201);
  expect((await readSince(0)).at(-1)).toBe(1);
  expect((await readSince(Number.POSITIVE_INFINITY)).at(-1)).toBe(801);
});

test("a chart says from when on it marks fills where it lacks older ones", () => {
  expect(knownSinceMs(fillsOf(20), 0, false)).toBeUndefined();
  expect(knownSinceMs(fillsOf(20), 0, true)).toBe(1_000);
  expect(knownSinceMs(fillsOf(1_000), 0, false)).toBe(1_000);
  expect(knownSinceMs(fillsOf(1_000), 5_000, true)).toBeUndefined();
});
