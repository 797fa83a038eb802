import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fixed,
  fixedFromNumber,
  fixedText,
  fixedToNumber,
  plainNumber,
} from "../../src/domain/fixed.ts";
import { runs } from "../support/soak.ts";

/** The short way of both conversions against the long way through text. */

test("a double becomes the decimal that its shortest text names", () => {
  const doubles = fc.oneof(
    fc.double({ min: -1e12, max: 1e12, noNaN: true }).filter((value) => decimals(value) <= 26),
    fc
      .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 10 }))
      .map(([units, places]) => Number(`${units}e-${places}`)),
    fc.constantFrom(0, 0.1, 1e-8, 61837.63, 9999999.99999999, 99999999.99999999, 1e7 + 1e-8),
  );
  fc.assert(
    fc.property(doubles, (value) => {
      expect(fixedText(fixedFromNumber(value))).toBe(
        fixedText(fixed(plainNumber(value === 0 ? 0 : value))),
      );
    }),
    runs(3000),
  );
});

test("an exact decimal becomes the double nearest to it", () => {
  const texts = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 20 }))
    .map(([digits, places]) => {
      const text = digits.toString().padStart(places + 1, "0");
      return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
    });
  fc.assert(
    fc.property(texts, (text) => {
      expect(fixedToNumber(fixed(text))).toBe(Number(text));
      expect(fixedToNumber(fixed(`-${text}`))).toBe(0 - Number(text));
    }),
    runs(3000),
  );
});

function decimals(value: number): number {
  return plainNumber(value).split(".")[1]?.length ?? 0;
}
