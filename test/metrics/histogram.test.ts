import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Histogram } from "../../src/metrics/histogram.ts";

describe("Histogram", () => {
  test("has no percentile without samples", () => {
    expect(new Histogram().percentile(0.5)).toBeUndefined();
  });

  test("gives a single sample exactly for every percentile", () => {
    const histogram = new Histogram();
    histogram.add(123.456);
    expect(histogram.percentile(0)).toBe(123.456);
    expect(histogram.percentile(0.99)).toBe(123.456);
  });

  test("gives percentiles within 0.55 % of the sample of their rank", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1e10, noNaN: true }), {
          minLength: 1,
          maxLength: 300,
        }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (samples, share) => {
          const histogram = new Histogram();
          for (const sample of samples) histogram.add(sample);
          const sorted = samples.toSorted((left, right) => left - right);
          const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
          expect(Math.abs((histogram.percentile(share) ?? 0) / exact - 1)).toBeLessThan(0.0055);
        },
      ),
    );
  });

  test("counts values outside the scale at its ends", () => {
    const histogram = new Histogram();
    histogram.add(0);
    histogram.add(1e15);
    expect(histogram.percentile(0.5)).toBeLessThan(0.0101);
    expect(histogram.percentile(1)).toBeGreaterThan(1e10);
  });
});
