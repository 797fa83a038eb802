import { expect, test } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { decisionText } from "../../src/runtime/order-story.ts";

test("the mid of a decision is shown without the digits that halving two prices adds", () => {
  const decided = {
    strategy: "maker",
    marketId: marketId("1", "2"),
    type: "keep",
    quotes: [],
    stops: [],
    takes: [],
    workTo: undefined,
    tolerance: 0,
    reason: {},
    mid: 99.97049999999999,
    bestBid: 99.96,
    bestAsk: 99.981,
    position: "0",
  } as const;
  expect(decisionText(decided)).toBe("maker: kept its targets (mid 99.9705, position 0)");
});
