import { expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import { reviewOf, type SmallestOrder } from "../../src/strategy/review.ts";
import pureMarketMaking from "../../strategies/pure-market-making.ts";

/** What every strategy is warned of, whatever its own `review` says. */

function reviewed(params: object, smallest?: SmallestOrder): readonly string[] {
  const definition: StrategyDefinition = { ...pureMarketMaking, review: () => [] };
  const spreads = { bidSpread: "0.1%", askSpread: "0.1%", size: "0.5" };
  const parsed = pureMarketMaking.params.parse({ ...spreads, ...params });
  return reviewOf(definition, { params: parsed, makerFee: 0, takerFee: 0 }, smallest);
}

test.each([
  [{ bidSpread: 0.1 }, "bidSpread is 10%"],
  [{ askSpread: "15%" }, "askSpread is 15%"],
  [{ askSpread: ["0.1%", 0.2] }, "askSpread is 20%"],
  [{ levelSpread: 0.1, levels: 2 }, "levelSpread is 10%"],
])("warns of a spread that means 0.1% where %j is written", (params, warning) => {
  expect(reviewed(params)).toEqual([expect.stringContaining(warning)]);
});

test("says nothing of usual spreads", () => {
  expect(reviewed({ bidSpread: "9.9%", askSpread: 0.001 })).toEqual([]);
});

test.each([
  [{ size: "0.0009" }, 1],
  [{ size: ["1", "0.0009"] }, 1],
  [{ size: { quote: 1 } }, 1],
  [{ size: "0.001" }, 0],
  [{ size: { quote: 2 } }, 0],
])("warns of the size in %j when a market's smallest order is larger", (params, count) => {
  const smallest = { size: fixed("0.001"), mid: 2000 };
  expect(reviewed(params, smallest)).toHaveLength(count);
});
