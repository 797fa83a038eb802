import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixed, fixedFromNumber, fixedText, plainNumber } from "../../src/domain/fixed.ts";
import {
  isLegalPrice,
  minSizeAt,
  priceProblem,
  priceText,
  priceTiers,
  roundPriceDown,
  roundPriceUp,
  tickAbove,
  tickAt,
  tickBelow,
} from "../../src/domain/price.ts";

/** The rule of §4.5 in the plainest exact form: every legal price of a tier, as whole numbers of 10^-8. */
function legalByTheBook(text: string): boolean {
  const value = fixed(text);
  if (value <= 0n) return false;
  const digits = fixedText(value).replace(".", "").replace(/^0+/, "").replace(/0+$/, "");
  const decimals = (fixedText(value).split(".")[1] ?? "").length;
  const tier = priceTiers.find((row) => value >= fixed(plainNumber(row.from)));
  return digits.length <= 5 && decimals <= (tier?.decimals ?? 8);
}

/** Any price text around the tiers: up to 7 digits at any power of ten. */
const anyPrice = fc
  .tuple(fc.integer({ min: 1, max: 9_999_999 }), fc.integer({ min: -10, max: 2 }))
  .map(([digits, exponent]) => fixedText(fixed(shift(digits, exponent))));

function shift(digits: number, exponent: number): string {
  const text = String(digits);
  if (exponent >= 0) return text + "0".repeat(exponent);
  const padded = text.padStart(1 - exponent, "0");
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** Prices a few units of the seventh digit around each tier's edge, and around 10^5 and 10^6. */
const edges = [...priceTiers.map((tier) => tier.from), 100_000, 1_000_000].flatMap((edge) =>
  [-3, -2, -1, 0, 1, 2, 3].map((step) => edge * (1 + step * 1e-6)),
);

describe("the price rule (§4.5, D22)", () => {
  it("judges text as the table says, at any price", () => {
    fc.assert(
      fc.property(anyPrice, (text) => {
        expect(priceProblem(text) === undefined).toBe(legalByTheBook(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("rounds to the nearest legal price on the safe side, and nothing lies between", () => {
    fc.assert(
      fc.property(anyPrice, (text) => {
        const price = Number(text);
        checkRounding(price);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(edges)("rounds at the edge %d", (price) => checkRounding(price));

  it.each([
    // Exactly 62664.00005, 6.946899995 and 0.6833699995.
    [62160.5 * (1 + 81 / 1e4), 62664, 62665],
    [6.95455 * (1 - 11 / 1e4), 6.9468, 6.9469],
    [0.689785 * (1 - 93 / 1e4), 0.68336, 0.68337],
    // 1834.5 with the noise of doubles.
    [1834.6 - 0.1, 1834.5, 1834.5],
    [0.1 + 0.2, 0.3, 0.3],
  ])("rounds %d on the safe side however near the grid it lies", (price, down, up) => {
    expect(roundPriceDown(price)).toBe(down);
    expect(roundPriceUp(price)).toBe(up);
  });

  it.each([
    ["123450", undefined],
    ["123456", "too-many-significant-digits"],
    ["61837.5", "too-many-significant-digits"],
    ["10000.0", undefined],
    ["1834.5", undefined],
    ["1834.55", "too-many-significant-digits"],
    ["9999.95", "too-many-significant-digits"],
    ["1.00005", "too-many-significant-digits"],
    ["12.3456", "too-many-significant-digits"],
    ["10.0001", "too-many-significant-digits"],
    ["10.05", undefined],
    ["1000.01", "too-many-significant-digits"],
    ["0.00000012", undefined],
    ["0.000000001", "too-many-decimals"],
    ["0.000123456", "too-many-significant-digits"],
    ["0", "not-positive"],
    ["0.000", "not-positive"],
    ["100.00100", "too-many-significant-digits"],
    ["00012.50", undefined],
  ])("%s is %s", (text, problem) => {
    expect(priceProblem(text)).toBe(problem);
  });

  it("has a minimum size for every tier", () => {
    expect(priceTiers.map((tier) => fixedText(minSizeAt(tier.from)))).toEqual(
      priceTiers.map((tier) => tier.minSize),
    );
    expect(fixedText(minSizeAt(0.00000001))).toBe("1");
    expect(fixedText(minSizeAt(9999.9))).toBe("0.0001");
  });
});

function checkRounding(price: number): void {
  const down = roundPriceDown(price);
  const up = roundPriceUp(price);
  const isNoisy = Math.abs(down - price) <= price * 1e-13 || Math.abs(up - price) <= price * 1e-13;
  if (!isNoisy) {
    expect(down).toBeLessThan(price);
    expect(up).toBeGreaterThan(price);
    if (down > 0) expect(tickAbove(down)).toBe(up);
    expect(tickBelow(up)).toBe(down);
  }
  for (const legal of [down, up]) {
    if (legal === 0) continue;
    expect(isLegalPrice(legal)).toBe(true);
    expect(priceProblem(priceText(legal))).toBeUndefined();
    expect(roundPriceDown(legal)).toBe(legal);
    expect(roundPriceUp(legal)).toBe(legal);
    expect(tickBelow(tickAbove(legal))).toBe(legal);
    expect(fixedText(fixedFromNumber(legal))).toBe(priceText(legal));
    expect((tickAbove(legal) - legal) / tickAt(legal)).toBeCloseTo(1, 6);
  }
}
