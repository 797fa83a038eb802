import { expect, test } from "vitest";
import { deflatedSharpe, expectedMaximumSharpe } from "../../src/sweep/deflated-sharpe.ts";
import { normalCdf, normalQuantile } from "../../src/sweep/normal-distribution.ts";

test("the normal distribution is that of the tables", () => {
  expect(normalCdf(0)).toBe(0.5);
  expect(normalCdf(1)).toBeCloseTo(0.8413447460685429, 14);
  expect(normalCdf(-1.96)).toBeCloseTo(0.024997895148220435, 14);
  expect([normalCdf(-40), normalCdf(40)]).toEqual([0, 1]);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
  expect(normalQuantile(0.5)).toBeCloseTo(0, 12);
});

/**
 * The example of Bailey and López de Prado (2014), section "A numerical example": 100 trials with a variance of 1/2 of their annualised
 * Sharpe ratios, the best with 2.5 over 5 years of 250 days, skewness −3 and kurtosis 10. Daily:
 *   SR₀ = √(1/2 ÷ 250) · ((1 − 0.5772) · Φ⁻¹(0.99) + 0.5772 · Φ⁻¹(1 − 1/(100 e)))
 *       = 0.044721 · (0.422784 · 2.326348 + 0.577216 · 2.680210) = 0.044721 · 2.530603 = 0.113172
 *   SR = 2.5 ÷ √250 = 0.158114
 *   error = √(1 + 3 · 0.158114 + 9/4 · 0.158114²) ÷ √1249 = √1.530592 ÷ 35.341194 = 0.035006
 *   DSR = Φ((0.158114 − 0.113172) ÷ 0.035006) = Φ(1.283816) = 0.9004
 */
test("the example of the paper comes out", () => {
  const expected = expectedMaximumSharpe(0.5 / 250, 100);
  expect(expected).toBeCloseTo(0.1132, 4);
  const ratio = 2.5 / Math.sqrt(250);
  const error = Math.sqrt((1 + 3 * ratio + (9 / 4) * ratio ** 2) / 1249);
  // 100 ratios with exactly this variance: half of them one deviation above 0, half below.
  const deviation = Math.sqrt(((0.5 / 250) * 99) / 100);
  const all = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? deviation : -deviation));
  const deflated = deflatedSharpe({ ratio, error }, all);
  expect(deflated?.expectedMaximum).toBeCloseTo(expected, 12);
  expect(deflated?.probability).toBeCloseTo(0.9004, 4);
  expect(deflated?.trials).toBe(100);
});

test("a single run is not deflated", () => {
  const deflated = deflatedSharpe({ ratio: 1.96, error: 1 }, [1.96]);
  expect(deflated).toMatchObject({ expectedMaximum: 0, trials: 1 });
  expect(deflated?.probability).toBeCloseTo(0.975, 4);
});

test("the more runs it is the best of, the less it is worth", () => {
  const of = (count: number) => {
    const all = Array.from({ length: count }, (_, at) => Math.sin(at));
    return deflatedSharpe({ ratio: 2, error: 0.5 }, all)?.probability ?? 0;
  };
  expect(of(10)).toBeGreaterThan(of(100));
  expect(of(100)).toBeGreaterThan(of(1000));
});

test("a ratio without an error cannot be deflated", () => {
  expect(deflatedSharpe({ ratio: 1, error: 0 }, [1, 2])).toBeUndefined();
});
