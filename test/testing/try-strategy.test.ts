import { expect, test } from "vitest";
import { setQuotes, type WantedQuote } from "../../src/strategy/contract.ts";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import { scripted } from "../kernel/harness.ts";

const book = { bids: [[99.9, 5]], asks: [[100.1, 5]] } as const;

/** Bids at these shares below the mid. */
const bidsBelow = (mid: number, shares: readonly number[]): WantedQuote[] =>
  shares.map((share) => ({ price: mid * (1 - share), size: "1" }));

test("says how many quotes a rule denied, with the value of the first", async () => {
  const bot = await tryStrategy(
    scripted(({ book: { mid } }) =>
      mid === undefined ? setQuotes({}) : setQuotes({ bids: bidsBelow(mid, [0.01, 0.1, 0.3]) }),
    ),
  );
  bot.book(book);
  expect(bot.orders).toHaveLength(1);
  // Two of each decision: that of the book, and that of the resting order.
  expect(bot.denied).toEqual([
    { rule: "price-collar", count: 4, first: "BUY 1 at 90: 10%, limit 5%" },
  ]);
});

test("a replay says how many quotes a rule denied", async () => {
  const grid = scripted(({ book: { mid } }) =>
    mid === undefined ? setQuotes({}) : setQuotes({ bids: bidsBelow(mid, [0.01, 0.3]) }),
  );
  const { denied, quotesPlaced } = await replayStrategy(grid, { market: { duration: "1m" } });
  expect(quotesPlaced).toBeGreaterThan(0);
  expect(denied).toMatchObject([{ rule: "price-collar" }]);
  expect(denied[0]?.first).toMatch(/^BUY 1 at .*: 30.*%, limit 5%$/);
});
