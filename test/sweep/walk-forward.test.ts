import fc from "fast-check";
import { expect, test } from "vitest";
import { walkForwardWindows } from "../../src/sweep/walk-forward.ts";

test("windows by hand: train 40, purge 10, test 20 over 0 to 120", () => {
  const windows = walkForwardWindows({ fromMs: 0, toMs: 120 }, { train: 40, test: 20, purge: 10 });
  expect(windows).toEqual([
    { train: { fromMs: 0, toMs: 39 }, test: { fromMs: 50, toMs: 69 } },
    { train: { fromMs: 20, toMs: 59 }, test: { fromMs: 70, toMs: 89 } },
    { train: { fromMs: 40, toMs: 79 }, test: { fromMs: 90, toMs: 109 } },
  ]);
});

test("a recording shorter than one window has none", () => {
  const lengths = { train: 40, test: 20, purge: 10 };
  expect(walkForwardWindows({ fromMs: 0, toMs: 68 }, lengths)).toEqual([]);
  expect(walkForwardWindows({ fromMs: 0, toMs: 69 }, lengths)).toHaveLength(1);
});

test("train and test never overlap, the purge is between them, and tests do not overlap", () => {
  const length = fc.integer({ min: 1, max: 50 });
  const purge = fc.integer({ min: 0, max: 50 });
  fc.assert(
    fc.property(fc.record({ train: length, test: length, purge }), length, (lengths, factor) => {
      const span = { fromMs: 1_000, toMs: 1_000 + factor * 20 };
      const windows = walkForwardWindows(span, lengths);
      for (const [at, window] of windows.entries()) {
        // Both ends are included, so the purge is what lies strictly between.
        expect(window.test.fromMs - window.train.toMs - 1).toBe(lengths.purge);
        expect(window.train.fromMs).toBeGreaterThanOrEqual(span.fromMs);
        expect(window.test.toMs).toBeLessThanOrEqual(span.toMs);
        const next = windows[at + 1];
        if (next !== undefined) expect(next.test.fromMs).toBe(window.test.toMs + 1);
      }
      const isLongEnough =
        span.toMs - span.fromMs + 1 >= lengths.train + lengths.purge + lengths.test;
      expect(windows.length > 0).toBe(isLongEnough);
    }),
  );
});
