import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  divUp,
  fixed,
  fixedText,
  fixedFromNumber,
  mulFixed,
  mulNumber,
  mulRoundHalfUp,
  parseFixed,
  plainNumber,
  truncFixed,
  type Fixed,
} from "../../src/domain/fixed.ts";
import { runs } from "../support/soak.ts";

const decimals = (most: number) =>
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: most }))
    .map(([units, places]) => (units * 10n ** BigInt(26 - places)) as Fixed);

describe("Fixed", () => {
  it("is text and back, exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), (units) => {
        expect(fixed(fixedText(units as Fixed))).toBe(units);
      }),
    );
  });

  it.each(["", " 1", "1 ", "1e5", "+1", ".5", "1.", "0x10", "١", "--1", "1,5", "NaN"])(
    "refuses %j",
    (text) => {
      expect(parseFixed(text)).toBeUndefined();
    },
  );

  it("reads digits of any number, with and without a point", () => {
    const digits = (most: number) =>
      fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: most });
    fc.assert(
      fc.property(digits(20), fc.option(digits(20)), (whole, fraction) => {
        const text = fraction === null ? whole : `${whole}.${fraction}`;
        const places = fraction?.length ?? 0;
        expect(parseFixed(text)).toBe(
          BigInt(whole + (fraction ?? "")) * 10n ** BigInt(26 - places),
        );
      }),
      runs(2_000),
    );
  });

  it("takes trailing zeros beyond its scale, and no more decimals than that", () => {
    expect(parseFixed(`1.${"0".repeat(40)}`)).toBe(fixed("1"));
    expect(parseFixed(`0.${"0".repeat(26)}1`)).toBeUndefined();
    expect(fixedText(fixed("00.50"))).toBe("0.5");
    expect(fixedText(fixed("-0.10"))).toBe("-0.1");
    expect(fixedText(fixed("-0"))).toBe("0");
  });

  it("multiplies any price by any quantity without loss", () => {
    fc.assert(
      fc.property(decimals(8), decimals(18), (price, quantity) => {
        expect(mulFixed(price, quantity) * 10n ** 26n).toBe(price * quantity);
      }),
    );
  });

  it("multiplies a double as the decimal that its shortest text names", () => {
    const prices = fc.oneof(
      fc.nat(2 ** 31 - 1),
      fc
        .tuple(fc.nat(99_999), fc.integer({ min: -3, max: 8 }))
        .map(([digits, places]) => Number(`${digits}e${-places}`)),
      fc.tuple(fc.nat(), fc.nat(8)).map(([units, places]) => Number(`${units}e-${places}`)),
      // Too long for the short way.
      fc.constantFrom(0, -0, 1e15, 2 ** 60, 1e22, 12345678.12345678, 9999999.99999999),
    );
    fc.assert(
      fc.property(prices, decimals(18), fc.boolean(), (price, quantity, isNegative) => {
        const signed = isNegative ? -price : price;
        expect(mulNumber(signed, quantity)).toBe(mulFixed(fixedFromNumber(signed), quantity));
      }),
      runs(2_000),
    );
    expect(() => mulNumber(Number.NaN, fixed("1"))).toThrow();
    expect(() => mulNumber(0.00000001, fixed("0.0000000000000000001"))).toThrow(/26 decimals/);
  });

  it("divides up to the next step above the true quotient", () => {
    fc.assert(
      fc.property(decimals(18), decimals(8), (left, right) => {
        if (right === 0n) return;
        const up = divUp(left, right, 8);
        const step = 10n ** 18n;
        expect(up * right >= left * 10n ** 26n).toBe(true);
        expect((up - step) * right < left * 10n ** 26n).toBe(true);
        expect(truncFixed(up, 8)).toBe(up);
      }),
    );
  });

  it("rounds half-up at 18 decimals (D18)", () => {
    expect(fixedText(mulRoundHalfUp(fixed("0.000000000000000001"), fixed("0.5"), 18))).toBe(
      "0.000000000000000001",
    );
    expect(fixedText(mulRoundHalfUp(fixed("0.000000000000000001"), fixed("0.49"), 18))).toBe("0");
  });
});

it("prints doubles without an exponent", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = plainNumber(value);
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text)).toBe(value === 0 ? 0 : value);
    }),
  );
});
