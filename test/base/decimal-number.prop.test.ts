import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalNumber } from "../../src/base/decimal-number.ts";

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });

describe("decimalNumber", () => {
  it("equals Number for decimals of any length", () => {
    fc.assert(
      fc.property(digits(0, 18), fc.option(digits(0, 18)), (whole, fraction) => {
        const text = fraction === null ? whole : `${whole}.${fraction}`;
        expect(decimalNumber(text)).toBe(Number(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("equals Number for any other text", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(..."0159.-+eE xn_") }),
      fc.double().map(String),
    );
    fc.assert(
      fc.property(text, (written) => {
        expect(decimalNumber(written)).toBe(Number(written));
      }),
      { numRuns: 5_000 },
    );
  });
});
