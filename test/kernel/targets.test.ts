import { describe, expect, it } from "vitest";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import { fixedText } from "../../src/domain/fixed.ts";
import { fixedRules } from "../../src/domain/fixed-rules.ts";
import type { MarketRules } from "../../src/domain/market-rules.ts";
import { targetsOf } from "../../src/kernel/targets.ts";
import { type Decision, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { Harness, market } from "./harness.ts";

/** Targets of a decision as plain JavaScript may return it: with this size in one of the lists. */
function targetsWith(list: "bids" | "stops", size: unknown) {
  const wrong: Decision = JSON.parse(
    JSON.stringify(
      setQuotes({
        bids: [{ price: 98, size: "1" }],
        stops: [{ name: "floor", side: "SELL", size: "1", stopPrice: 95 }],
      }),
    ),
    (key, value: unknown) =>
      key === list && Array.isArray(value)
        ? value.map((each: object) => ({ ...each, size }))
        : value,
  );
  if (wrong.type !== "set") throw new Error("not a decision that sets quotes");
  return targetsOf(wrong, gridRules);
}

describe("a size that is neither a Decimal nor text", () => {
  it.each([
    ["a number", 500, "500"],
    ["missing", undefined, "undefined"],
    ["null", null, "null"],
  ])("fails with a sentence that says what to write: %s", (_, size, shown) => {
    expect(() => targetsWith("bids", size)).toThrow(
      `bids[0].size is ${shown}; write a Decimal, or text such as "0.5"`,
    );
    expect(() => targetsWith("stops", size)).toThrow(
      `size of stop "floor" is ${shown}; write a Decimal, or text such as "0.5"`,
    );
  });
});

/** The size of a bid, and of a stop order, as the engine sends them. */
function cut(size: string | Decimal, rules: MarketRules): string[] {
  const decision = setQuotes({
    bids: [{ price: 98, size }],
    stops: [{ name: "floor", side: "SELL", size, stopPrice: 95 }],
  });
  if (decision.type !== "set") throw new Error("a decision that sets quotes");
  const { quotes, stops } = targetsOf(decision, rules);
  return [...quotes, ...stops].map((target) => fixedText(target.size));
}

describe("a size with more decimals than the lot", () => {
  const hundredths = fixedRules({ type: "fixed", tick: "0.01", lot: "0.01" });

  it.each([
    ["text", "0.999999999999999999999"],
    ["long text", `0.${"9".repeat(300)}`],
    ["text with an exponent", "9.99999999999999999999999e-1"],
    ["a Decimal", new Decimal(3).minus("1e-40").div(3)],
  ])("is cut down to it, never up: %s", (_, size) => {
    expect(cut(size, gridRules)).toEqual(Array(2).fill("0.999999999999999999"));
    expect(cut(size, hundredths)).toEqual(["0.99", "0.99"]);
  });

  it("may be small enough for an exponent, or for nothing", () => {
    expect(cut(String(0.00000083), gridRules)).toEqual(["0.00000083", "0.00000083"]);
    expect(cut("1e-300", gridRules)).toEqual([]);
    // Denied by the risk gate, which names the lot.
    expect(cut("0.009", hundredths)).toEqual(["0.009", "0.009"]);
  });

  it("stays as it is within the lot, up to the largest that the venue reads", () => {
    const largest = "999999999999999999999.999999999999999999";
    expect(cut(largest, gridRules)).toEqual([largest, largest]);
    expect(() => cut("1000000000000000000000", gridRules)).toThrow("below 10^21");
  });
});

describe("a size below one lot", () => {
  const rules = { type: "fixed", tick: "0.1", lot: "0.1" } as const;

  it("is denied by the rule that names the lot, for quotes and stop orders", () => {
    let view: MarketView | undefined;
    const bot = new Harness({
      config: { markets: [{ ...market, rules }] },
      decide: (seen) => {
        view = seen;
        return setQuotes({
          bids: [{ price: 1990, size: "0.05" }],
          stops: [{ name: "floor", side: "SELL", size: "0.05", stopPrice: 1900 }],
        });
      },
    });
    expect(bot.begin().filter(({ type }) => type === "place" || type === "stop")).toEqual([]);
    const reason = { rule: "price-rule", limit: "a multiple of the lot 0.1", actual: "0.05" };
    expect(bot.notes.filter(({ type }) => type === "denied")).toMatchObject([
      { stop: "floor", side: "SELL", reason },
      { side: "BUY", price: 1990, reason },
    ]);
    bot.after(1_000);
    expect(view?.stops[0]?.reason).toContain("price-rule");
  });
});
