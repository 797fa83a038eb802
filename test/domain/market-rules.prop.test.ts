import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Fixed,
  fixed,
  fixedFromNumber,
  fixedText,
  plainNumber,
} from "../../src/domain/fixed.ts";
import { fixedRules } from "../../src/domain/fixed-rules.ts";
import { gridRules, priceTiers } from "../../src/domain/grid-rules.ts";
import type { MarketRules } from "../../src/domain/market-rules.ts";
import { priceText } from "../../src/domain/price.ts";
import { rulesOf } from "../../src/domain/rules-of.ts";
import { runs } from "../support/soak.ts";

/** The grid of §4.5 in the plainest exact form: every legal price of a tier, as whole numbers of 10^-8. */
function isLegalOnGrid(text: string): boolean {
  const value = fixed(text);
  if (value <= 0n) return false;
  const digits = fixedText(value).replace(".", "").replace(/^0+/, "").replace(/0+$/, "");
  const decimals = (fixedText(value).split(".")[1] ?? "").length;
  const tier = priceTiers.find((row) => value >= fixed(plainNumber(row.from)));
  return digits.length <= 5 && decimals <= (tier?.decimals ?? 8);
}

function fixedCase(tick: string, lot: string) {
  const isLegal = (text: string): boolean => fixed(text) > 0n && fixed(text) % fixed(tick) === 0n;
  const rules = fixedRules({ type: "fixed", tick, lot });
  return { name: `a fixed tick of ${tick}`, rules, isLegal, lowest: Number(tick) };
}

/** Each implementation with an independent judge of its legal prices. */
const cases: readonly {
  readonly name: string;
  readonly rules: MarketRules;
  readonly isLegal: (text: string) => boolean;
  readonly lowest: number;
}[] = [
  { name: "the grid of §4.5", rules: gridRules, isLegal: isLegalOnGrid, lowest: 1e-8 },
  fixedCase("0.01", "0.00001"),
  fixedCase("0.5", "1"),
  fixedCase("0.00025", "0.001"),
  fixedCase("0.00000001", "1"),
  fixedCase("25", "0.1"),
];

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

describe.each(cases)("$name", ({ rules, isLegal, lowest }) => {
  it("judges the text of any price", () => {
    fc.assert(
      fc.property(anyPrice, (text) => {
        expect(rules.priceProblem(text) === undefined).toBe(isLegal(text));
      }),
      runs(2000),
    );
  });

  it("judges a number as it judges its text", () => {
    fc.assert(
      fc.property(anyPrice, (text) => {
        expect(rules.isLegal(Number(text))).toBe(isLegal(text));
      }),
      runs(2000),
    );
  });

  it("rounds to the nearest legal price on the safe side, and nothing lies between", () => {
    fc.assert(
      fc.property(anyPrice, (text) => {
        // Far beyond any market, a double is too coarse for so fine a tick.
        fc.pre(Number(text) / rules.tickAt(Number(text)) < 1e14);
        checkRounding(Number(text));
      }),
      runs(2000),
    );
  });

  it.each(edges)("rounds at the edge %d", (price) => checkRounding(price));

  it("has no legal price that is not positive, not a number or infinite", () => {
    for (const price of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(rules.isLegal(price)).toBe(false);
    }
    expect(rules.roundDown(lowest / 2)).toBe(0);
    expect(rules.roundUp(lowest / 2)).toBe(lowest);
    expect(rules.nextBelow(lowest)).toBe(0);
    expect(rules.nextAbove(0)).toBe(lowest);
  });

  function checkRounding(price: number): void {
    const down = rules.roundDown(price);
    const up = rules.roundUp(price);
    const isNoisy =
      Math.abs(down - price) <= price * 1e-13 || Math.abs(up - price) <= price * 1e-13;
    if (!isNoisy) {
      expect(down).toBeLessThan(price);
      expect(up).toBeGreaterThan(price);
      expect(rules.nextBelow(price)).toBe(down);
      expect(rules.nextAbove(price)).toBe(up);
      if (down > 0) expect(rules.nextAbove(down)).toBe(up);
      expect(rules.nextBelow(up)).toBe(down);
    }
    for (const legal of [down, up]) {
      if (legal === 0) continue;
      expect(rules.isLegal(legal)).toBe(true);
      expect(isLegal(priceText(legal))).toBe(true);
      expect(rules.priceProblem(priceText(legal))).toBeUndefined();
      expect(rules.roundDown(legal)).toBe(legal);
      expect(rules.roundUp(legal)).toBe(legal);
      expect(rules.nextBelow(rules.nextAbove(legal))).toBe(legal);
      expect(fixedText(fixedFromNumber(legal))).toBe(priceText(legal));
      const above = fixedFromNumber(rules.nextAbove(legal));
      expect(above - fixedFromNumber(legal)).toBe(fixedFromNumber(rules.tickAt(legal)));
    }
  }
});

describe("the grid of §4.5 (D22)", () => {
  it.each([
    // Exactly 62664.00005, 6.946899995 and 0.6833699995.
    [62160.5 * (1 + 81 / 1e4), 62664, 62665],
    [6.95455 * (1 - 11 / 1e4), 6.9468, 6.9469],
    [0.689785 * (1 - 93 / 1e4), 0.68336, 0.68337],
    // 1834.5 with the noise of doubles.
    [1834.6 - 0.1, 1834.5, 1834.5],
    [0.1 + 0.2, 0.3, 0.3],
  ])("rounds %d on the safe side however near the grid it lies", (price, down, up) => {
    expect(gridRules.roundDown(price)).toBe(down);
    expect(gridRules.roundUp(price)).toBe(up);
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
    expect(gridRules.priceProblem(text)).toBe(problem);
  });

  it("has a minimum size for every tier", () => {
    expect(priceTiers.map((tier) => fixedText(gridRules.minSizeAt(tier.from)))).toEqual(
      priceTiers.map((tier) => tier.minSize),
    );
    expect(fixedText(gridRules.minSizeAt(0.00000001))).toBe("1");
    expect(fixedText(gridRules.minSizeAt(9999.9))).toBe("0.0001");
  });

  it("cuts sizes after 18 decimals", () => {
    const size = fixed("0.123456789012345678");
    expect(gridRules.roundSize(size)).toBe(size);
    expect(gridRules.isWholeLots(size)).toBe(true);
    const longer = fixed("0.1234567890123456789");
    expect(gridRules.roundSize(longer)).toBe(size);
    expect(gridRules.isWholeLots(longer)).toBe(false);
  });
});

describe("a fixed tick and lot", () => {
  const rules = fixedRules({ type: "fixed", tick: "0.01", lot: "0.00001" });

  it.each([
    ["61837.63", undefined],
    ["61837.630", undefined],
    ["61837.635", "off-tick"],
    ["0", "not-positive"],
    ["0.00", "not-positive"],
  ])("%s is %s", (text, problem) => {
    expect(rules.priceProblem(text)).toBe(problem);
  });

  it("rounds a price that carries the noise of doubles to the tick it stands for", () => {
    expect(rules.roundDown(61837.64 - 0.01)).toBe(61837.63);
    expect(rules.roundUp(0.1 + 0.2)).toBe(0.3);
    expect(rules.roundDown(61837.63 * 1.000_01)).toBe(61838.24);
  });

  it("rounds sizes down to whole lots", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (units) => {
        const size = units as Fixed;
        const rounded = rules.roundSize(size);
        expect(rules.isWholeLots(rounded)).toBe(true);
        expect(rules.isWholeLots(size)).toBe(rounded === size);
        expect(size - rounded >= 0n && size - rounded < rules.lot).toBe(true);
      }),
    );
  });

  it("has one minimum size at every price: a lot, or what is given in whole lots", () => {
    expect(fixedText(rules.minSizeAt(61837.63))).toBe("0.00001");
    const others = fixedRules({ type: "fixed", tick: "0.01", lot: "0.002", minSize: "0.005" });
    expect(fixedText(others.minSizeAt(5))).toBe("0.006");
    expect(others.minSizeAt(5)).toBe(others.minSizeAt(50_000));
  });

  it.each([
    ["0", "1"],
    ["0.000000001", "1"],
    ["1", "0"],
    ["1", "0.0000000000000000001"],
  ])("is no rule with tick %s and lot %s", (tick, lot) => {
    expect(() => fixedRules({ type: "fixed", tick, lot })).toThrow("a step");
  });
});

describe("the rules of a market", () => {
  it("are the grid, or the fixed steps that it carries, the same object each time", () => {
    expect(rulesOf({ rules: { type: "grid" } })).toBe(gridRules);
    const market = { rules: { type: "fixed", tick: "0.5", lot: "0.1" } } as const;
    expect(rulesOf(market)).toBe(rulesOf(market));
    expect(rulesOf(market).tickAt(100)).toBe(0.5);
  });
});
