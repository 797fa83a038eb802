import { describe, expect, it } from "vitest";
import { gridRules } from "../../src/domain/grid-rules.ts";
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
      `a quote's size is ${shown}; write a Decimal, or text such as "0.5"`,
    );
    expect(() => targetsWith("stops", size)).toThrow(
      `size of "floor" is ${shown}; write a Decimal, or text such as "0.5"`,
    );
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
