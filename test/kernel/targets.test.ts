import { describe, expect, it } from "vitest";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { targetsOf } from "../../src/kernel/targets.ts";
import { type Decision, setQuotes } from "../../src/strategy/contract.ts";

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
