import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixed, fixedToNumber, mulFixed, type Fixed } from "../../src/domain/fixed.ts";
import { fixedRules } from "../../src/domain/fixed-rules.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { ExactPrice, PriceTable } from "../../src/exchange/exact-price.ts";
import { runs } from "../support/soak.ts";

/** Up to 8 decimals, on the grid or not. */
const priceTexts = fc
  .tuple(
    fc.integer({ min: 1, max: 99_999_999 }),
    fc.integer({ min: -8, max: 4 }),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([digits, exponent, zeros]) => plainText(BigInt(digits) * 10n ** BigInt(zeros), exponent));

const tickRules = fixedRules({ type: "fixed", tick: "0.01", lot: "1" });

/** Up to 18 decimals. */
const quantities = fc
  .bigInt({ min: 0n, max: 10n ** 30n })
  .map((units) => (units * 10n ** 8n) as Fixed);

describe("an exact price", () => {
  test("times a quantity gives the exact product", () => {
    fc.assert(
      fc.property(priceTexts, quantities, (text, quantity) => {
        const price = fixed(text);
        expect(exactPrice(price).notional(quantity)).toBe(mulFixed(price, quantity));
      }),
      runs(2000),
    );
  });

  test("is legal exactly when its text is, on the grid and on a fixed tick, and has the right units", () => {
    fc.assert(
      fc.property(priceTexts, (text) => {
        const price = exactPrice(fixed(text));
        expect(price.isLegal).toBe(gridRules.priceProblem(text) === undefined);
        const ofTick = exactPrice(fixed(text), tickRules);
        expect(ofTick.isLegal).toBe(tickRules.priceProblem(text) === undefined);
        expect(price.units * 10n ** 18n).toBe(price.fixed);
      }),
      runs(2000),
    );
  });

  test("is not legal with a ninth decimal or beyond the range of exact doubles", () => {
    for (const text of ["1000.000000001", "0.000000001", "1000.00000000000000000001", "0"]) {
      expect(exactPrice(fixed(text)).isLegal).toBe(false);
    }
  });
});

test("a price table returns the right price even for more prices than it caches", () => {
  const table = new PriceTable(gridRules);
  for (let round = 0; round < 2; round += 1) {
    for (let number = 1; number <= 10_000; number += 1) {
      expect(table.of(fixed(String(number))).number).toBe(number);
    }
  }
});

function exactPrice(price: Fixed, rules = gridRules): ExactPrice {
  return new ExactPrice(price, fixedToNumber(price), rules);
}

function plainText(digits: bigint, exponent: number): string {
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const text = String(digits).padStart(1 - exponent, "0");
  return `${text.slice(0, exponent)}.${text.slice(exponent)}`;
}
