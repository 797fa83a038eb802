import fc from "fast-check";
import { expect, test } from "vitest";
import { type ListWindow, type Walk, walkBack } from "../../src/gateway/walk-back.ts";

const DAY_MS = 86_400_000;
const NOW = 1_700_000_000_000;

interface Row {
  readonly id: number;
  readonly at: number;
}

/** A venue that follows D14 and D15: lists newest first, with limits and spans, and no windows into the future. */
function venueOf(rows: readonly Row[], hasSpans: boolean, maxLimit: number) {
  const newestFirst = rows.toSorted((left, right) => right.at - left.at || right.id - left.id);
  return async (window: ListWindow, limit: number): Promise<readonly Row[]> => {
    expect(limit).toBeLessThanOrEqual(maxLimit);
    const to = "to" in window ? window.to : NOW;
    const from = "from" in window ? window.from : hasSpans ? NOW - 30 * DAY_MS : 0;
    expect(from).toBeLessThanOrEqual(to);
    if ("to" in window) expect(to).toBeLessThanOrEqual(NOW - 1000);
    if (hasSpans) {
      expect(to - from).toBeLessThanOrEqual(90 * DAY_MS);
      expect(from).toBeGreaterThanOrEqual(NOW - 730 * DAY_MS);
    }
    return newestFirst.filter(({ at }) => at >= from && at <= to).slice(0, limit);
  };
}

const walkOf = (
  rows: readonly Row[],
  hasSpans: boolean,
): Pick<Walk<Row>, "venueNowMs" | "hasSpans" | "timeOf" | "keyOf" | "call"> => ({
  venueNowMs: NOW,
  hasSpans,
  timeOf: (row) => row.at,
  keyOf: (row) => String(row.id),
  call: venueOf(rows, hasSpans, 20),
});

// Many rows in few milliseconds, recent and old.
const times = fc.oneof(
  fc.integer({ min: 0, max: 2 }),
  fc.integer({ min: 1100, max: 1108 }),
  fc.integer({ min: 1100, max: 700 * DAY_MS }),
  fc.constantFrom(30 * DAY_MS, 90 * DAY_MS, 120 * DAY_MS, 120 * DAY_MS - 1),
);

test("every row of the requested time comes once, newest first, for any page size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(times, { maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 4, max: 9 }),
      fc.option(fc.integer({ min: 1, max: 729 * DAY_MS }), { nil: undefined }),
      fc.option(fc.integer({ min: 0, max: 200 * DAY_MS }), { nil: undefined }),
      async (ages, hasSpans, pageSize, sinceAge, untilAge) => {
        // At most 19 rows per millisecond, so that they fit one dense page.
        const seen = new Map<number, number>();
        const rows = ages.flatMap((age, id) => {
          const count = seen.get(age) ?? 0;
          seen.set(age, count + 1);
          return count < (age < 1000 ? 1 : 19) ? [{ id, at: NOW - age }] : [];
        });
        const sinceMs = sinceAge === undefined ? undefined : NOW - sinceAge;
        const untilMs = untilAge === undefined ? undefined : NOW - untilAge;
        const lowest = sinceMs ?? (hasSpans ? (untilMs ?? NOW) - 30 * DAY_MS : 0);
        const found = await walkBack<Row>({
          ...walkOf(rows, hasSpans),
          pageSize,
          densePageSize: 20,
          sinceMs,
          untilMs,
        });
        const wanted = rows
          .filter(({ at }) => at >= lowest && (untilMs === undefined || at <= untilMs))
          .map(({ id }) => id);
        expect(new Set(found.map(({ id }) => id))).toEqual(new Set(wanted));
        expect(found).toHaveLength(wanted.length);
        expect(found.map(({ at }) => at)).toEqual(
          found.map(({ at }) => at).toSorted((left, right) => right - left),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test("the list rejects when a millisecond has more rows than a page, instead of dropping some", async () => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id, at: NOW - 5000 }));
  await expect(
    walkBack<Row>({ ...walkOf(rows, true), pageSize: 5, densePageSize: 20 }),
  ).rejects.toMatchObject({ code: "LIST_TOO_DENSE" });
});

test("a list with maxRows returns the newest rows and then sends no more requests", async () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, at: NOW - 5000 - id * DAY_MS }));
  let fetcher = 0;
  const walk = walkOf(rows, true);
  const found = await walkBack<Row>({
    ...walk,
    pageSize: 10,
    densePageSize: 20,
    sinceMs: 0,
    maxRows: 10,
    call: (window, limit) => {
      fetcher += 1;
      return walk.call(window, limit);
    },
  });
  expect(found.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(fetcher).toBe(1);
});
