import { describe, expect, it } from "vitest";
import { Decimal as LibraryDecimal } from "decimal.js";
import { Decimal, decimalOf } from "../../src/domain/decimal.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { amount } from "../../src/domain/setting.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness } from "../kernel/harness.ts";

/** As plain JavaScript writes it. */
const joined = (left: unknown, right: unknown): unknown => (left as number) + (right as number);

describe("a Decimal in JavaScript's own arithmetic", () => {
  it.each([
    ["of a strategy", new Decimal(1)],
    ["of the view", decimalOf(fixed("1"))],
    ["of a setting", amount().parse("1")],
    ["of a calculation", new Decimal(2).minus(1)],
  ])("cannot be joined as text by +: %s", (_, decimal) => {
    expect(() => joined(decimal, 1)).toThrow("write a.plus(b)");
    expect(() => joined(1.5, decimal)).toThrow("write a.plus(b)");
    expect(() => joined("", decimal)).toThrow("write a.plus(b)");
  });

  it("is a number for products and comparisons, and its text in a template", () => {
    const [nine, ten] = [new Decimal(9), new Decimal(10)];
    expect(Number(ten) * 2).toBe(20);
    expect(nine < ten).toBe(true);
    expect(`${String(new Decimal("1e-12"))} ${JSON.stringify([ten])}`).toBe(
      '0.000000000001 ["10"]',
    );
  });

  it("leaves the library's own Decimals as they are", () => {
    expect(joined(new LibraryDecimal(1), 1)).toBe("11");
    expect(new LibraryDecimal(1) instanceof LibraryDecimal).toBe(true);
    expect(Decimal.isDecimal(new LibraryDecimal(1))).toBe(true);
    expect(new Decimal(1).plus(1) instanceof Decimal).toBe(true);
  });
});

it("a strategy that adds to a size with + fails with a sentence", () => {
  const bot = new Harness({
    decide: ({ position }) =>
      setQuotes({ bids: [{ price: 1990, size: joined(position.base, 1) as string }] }),
  });
  bot.begin();
  const fault = bot.notes.find((note) => note.type === "strategyFault");
  expect(fault?.message).toContain("write a.plus(b)");
});
