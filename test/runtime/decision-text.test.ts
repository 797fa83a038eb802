import { expect, test } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { decisionText } from "../../src/runtime/order-story.ts";

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

test("the mid of a decision is shown without the digits that halving two prices adds", () => {
  expect(decisionText(decided)).toBe("maker: kept its targets (mid 99.9705, position 0)");
});

test("a side that a decision gives no reason for is not named as one without quotes", () => {
  const reason = { BUY: undefined, SELL: "too long" };
  const text = decisionText({ ...decided, type: "set", reason });
  expect(text).toBe("maker wants no SELL: too long (mid 99.9705, position 0)");
});
